"""What ingest raises, and how text of others is shown."""


class IngestError(ValueError):
    """Raised for results that cannot be read as they are; says where, what is wrong, and what is allowed.

    Attributes:
        file: name of the file, or of the option.
        place: where in it, e.g. `line 3`; empty for the file as a whole.
        problem: what is wrong there and what is allowed.
    """

    def __init__(self, file: str, place: str, problem: str) -> None:
        super().__init__(plain(f"{', '.join(filter(None, (file, place)))}: {problem}"))
        self.file = file
        self.place = place
        self.problem = problem


def shown(value: object, *, most: int = 60) -> str:
    """Return `repr` of a value, cut to a length that fits into one line of an error.

    >>> shown("a" * 9, most=6)
    "'aaaa…"
    """
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def plain(text: str) -> str:
    """Return text of others on one line, its control characters written out, so that no terminal obeys it.

    >>> plain("a\\x1b[2Jb\\n")
    'a\\\\x1b[2Jb\\\\n'
    """
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
