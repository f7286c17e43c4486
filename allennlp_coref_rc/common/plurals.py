"""How the screen counts things."""


def counted(number: int, noun: str) -> str:
    """ "1 epoch", "30 epochs", "12,000 predictions" """
    return f"{number:,} {noun}{'s' * (number != 1)}"
