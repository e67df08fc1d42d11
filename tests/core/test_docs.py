"""The documentation names tests and files: they must be there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
THEORY = ROOT / "docs" / "theory.md"


def test_every_test_that_the_theory_names_exists() -> None:
    text = THEORY.read_text(encoding="utf-8")
    files = set(re.findall(r"`(test_\w+\.py)", text))
    sources = "".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in files)
    named = set(re.findall(r"::(test_\w+)", text))
    assert len(named) >= 10
    assert {name for name in named if f"def {name}(" not in sources} == set()


def test_every_file_that_the_guide_for_contributors_names_exists() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w.]+(?:/[\w.]+)*(?:/|\.(?:py|md|json|tsv|txt|toml|yaml)))`", text))
    folders = (ROOT, ROOT / "src/qrewrite", ROOT / "src/qrewrite/rules", ROOT / "src/qrewrite/solver")
    folders += (ROOT / "src/qrewrite/tasks", ROOT / "tests/core", ROOT / "tests/support")
    assert len(named) >= 20
    assert {name for name in named if not any((folder / name).exists() for folder in folders)} == set()
