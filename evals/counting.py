"""Numbers of things, in words."""


def counted(number: int, what: str) -> str:
    """Return how many of something there are.

    >>> counted(1, "seed"), counted(2, "seed")
    ('1 seed', '2 seeds')
    """
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
