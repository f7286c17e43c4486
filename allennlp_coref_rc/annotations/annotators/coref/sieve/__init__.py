"""
The parts of `sieve_coref`: word lists, the finding of mentions and speakers, and the rules that link
mentions.
"""
