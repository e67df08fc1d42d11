"""Tables on the terminal: at any width each name, number and heading can be read whole."""

import re

import pytest
from rich.cells import cell_len

from quantum_circuit_env.evals.terminal import show_table

COLUMNS = ("agent", "tied", "rank", "normalised score", "success@1", "score", "seeds", "incomplete")
ROWS = [
    ("random-legal (baseline)", "", "–", "0.946 [0.905, 0.983]", "0.767", "0.760", "200", "0"),
    (
        "llm:model=a-vendor/a-model-with-a-long-name-2026",
        "a b",
        "1 (1 to 2)",
        "1.000",
        "1.000",
        "–",
        "1",
        "12",
    ),
    ("[red]:smile:[/red]", "b", "2", "−0.946 [−0.905, 0.983]", "0.767", "0.760", "200", "0"),
]
PAIRS = ("a", "b", "a − b", "p", "p, Holm", "shared tasks", "dropped", "detectable", "detectable, Holm")
PAIR = (
    "model-a",
    "model-b-of-a-vendor",
    "0.123 [−0.123, 0.200]",
    "0.1234",
    "< 0.0001",
    "164",
    "0",
    "0.123",
    "–",
)


def shown(
    capsys: pytest.CaptureFixture[str],
    width: int,
    monkeypatch: pytest.MonkeyPatch,
    *table: object,
    **how: int,
) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    show_table(*table, **how)  # type: ignore[arg-type]
    return capsys.readouterr().out


def letters(text: str) -> str:
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize("width", [40, 80, 100, 120, 200])
def test_names_and_numbers_are_whole_at_any_width(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = shown(capsys, width, monkeypatch, "easy", COLUMNS, ROWS)
    assert "…" not in out
    for row in ROWS:
        for number in row[2:]:
            for part in re.split(r" (?=[\[(])", number):
                assert part in out
    if width >= 80:
        assert max(map(cell_len, out.splitlines())) <= width
        tied = next(line.index("tied") for line in out.splitlines() if "tied" in line)
        names = letters("".join(line[:tied] for line in out.splitlines()))
        assert all(letters(row[0]) in names for row in ROWS)


def test_what_fits_is_on_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = shown(capsys, 200, monkeypatch, "easy", COLUMNS, ROWS).splitlines()
    assert [line.split()[0] for line in lines[4:7]] == [
        "random-legal",
        "llm:model=a-vendor/a-model-with-a-long-name-2026",
        "[red]:smile:[/red]",
    ]
    assert "0.946 [0.905, 0.983]" in lines[4]


def test_two_names_are_above_each_other_where_there_is_no_room(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = shown(capsys, 80, monkeypatch, "pairs", PAIRS, [PAIR], names=2)
    assert max(map(cell_len, out.splitlines())) <= 80
    assert all(number in out for number in ("0.123", "[−0.123, 0.200]", "0.1234", "< 0.0001", "164"))
    assert "model-a " in out
    wide = shown(capsys, 160, monkeypatch, "pairs", PAIRS, [PAIR], names=2)
    assert "model-a  model-b-of-a-vendor  0.123 [−0.123, 0.200]" in wide
