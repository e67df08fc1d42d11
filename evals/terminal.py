"""Tables on the terminal: nothing of them is cut, however narrow it is."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

_GAP: Final = 2
"""Blanks between two columns."""

_NAME: Final = 14
"""Columns of the terminal that a name is given before headings are broken."""

_HEADING: Final = 5
"""Fewest columns of the terminal that a broken heading is given."""


def show_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, names: int = 1, prose: bool = False
) -> None:
    """Print a table; where it is too wide, brackets come on lines of their own, and names are folded.

    Args:
        title: what stands above it.
        columns: headings.
        rows: as many cells each.
        names: that many of the first columns are names, which are folded; two are put above each other where
            there is little room.
        prose: whether the last column is text, which is folded too.
    """
    console = Console()
    lines = [tuple(columns), *map(tuple, rows)]
    if _width(lines) > console.width:
        lines = [lines[0], *(tuple(map(_stacked, line)) for line in lines[1:])]
        if names == 2 and _width(lines) > console.width:
            names, lines = 1, [(f"{a}\n{b}", *rest) for a, b, *rest in lines]
    texts = [number < names or (prose and number == len(lines[0]) - 1) for number in range(len(lines[0]))]
    widths = _widths(lines, texts, console.width)
    table = Table(
        *(
            Column(heading, justify="left" if text else "right", overflow="fold", width=width)
            for heading, text, width in zip(lines[0], texts, widths, strict=True)
        ),
        title=Text(title),
        title_justify="left",
        box=SIMPLE_HEAD,
        collapse_padding=True,
        pad_edge=False,
    )
    for line in lines[1:]:
        # As Text, so that no name is taken for markup or the code of an emoji.
        table.add_row(*map(Text, line))
    # A terminal of very few columns breaks the lines itself; rich would cut them.
    console.width = max(console.width, sum(widths) + _GAP * len(widths))
    console.print(table, highlight=False, markup=False)


def _stacked(cell: str) -> str:
    """Put what is in brackets behind a blank on a line of its own."""
    return cell.replace(" [", "\n[").replace(" (", "\n(")


def _width(lines: Sequence[Sequence[str]]) -> int:
    """Return how wide a table of these cells is if nothing is folded."""
    return sum(_longest(column) + _GAP for column in zip(*lines, strict=True))


def _longest(cells: Iterable[str], between: str = "\n") -> int:
    return max((cell_len(part) for cell in cells for part in cell.split(between)), default=0)


def _widths(lines: Sequence[Sequence[str]], texts: Sequence[bool], room: int) -> list[int]:
    """Return the widths of columns: numbers are whole, headings as whole as names leave room for."""
    columns = list(zip(*lines, strict=True))
    wanted = [_longest(column) for column in columns]
    if sum(wanted) + _GAP * len(columns) <= room:
        return wanted
    least = [max(_longest(column[1:]), _HEADING) for column in columns]
    numbers = {
        number: max(least[number], _longest(column[:1], " "))
        for number, column in enumerate(columns)
        if not texts[number]
    }

    def left() -> int:
        return (room - _GAP * len(columns) - sum(numbers.values())) // max(1, sum(texts))

    while left() < _NAME and any(numbers[number] > least[number] for number in numbers):
        numbers[max(numbers, key=lambda number: numbers[number] - least[number])] -= 1
    return [numbers.get(number, min(width, max(_HEADING, left()))) for number, width in enumerate(wanted)]
