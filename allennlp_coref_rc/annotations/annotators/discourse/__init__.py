"""Discourse relations by small log-linear models over a parse."""
