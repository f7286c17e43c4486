FIRST_MENTION = -1
"""The source of a mention that has no antecedent. Encoders may read a state of zeros there."""

PADDING = -2
"""Pads lists of edges, and of numbers in any layer."""

OTHER_SEQUENCE = -3
"""
`OTHER_SEQUENCE - i` is token `i` of the other sequence: of the passage in edges of the question, and the
reverse.
"""


def question_first_name(name: str) -> str:
    """The name that the edges `name` have if the question is read before the passage."""
    return f"question_first_{name}"
