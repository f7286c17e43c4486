"""
Makes AllenNLP 2.10.1 work on today's packages, start fast, and print little. The other folders need not know
how.

`patches` is the table of all changes to AllenNLP; `environment` names the versions of packages that work.
"""
