"""Numbers of things, in words."""


def counted(number: int, what: str, several: str | None = None) -> str:
    """Return how many of something there are; `several` is its plural where that has more than an s.

    >>> counted(1, "seed"), counted(2, "seed"), counted(0, "reply", "replies")
    ('1 seed', '2 seeds', '0 replies')
    """
    return f"{number} {what}" if number == 1 else f"{number} {several or f'{what}s'}"
