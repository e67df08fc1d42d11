"""The theory names the tests that check it: they must be there."""

import re
from pathlib import Path

THEORY = Path(__file__).parents[2] / "docs" / "theory.md"


def test_every_test_that_the_theory_names_exists() -> None:
    text = THEORY.read_text(encoding="utf-8")
    files = set(re.findall(r"`(test_\w+\.py)", text))
    sources = "".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in files)
    named = set(re.findall(r"::(test_\w+)", text))
    assert len(named) >= 10
    assert {name for name in named if f"def {name}(" not in sources} == set()
