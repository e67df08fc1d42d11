"""README's tables are replaced where they stand, and nothing else is touched."""

import runpy
import stat
from pathlib import Path

import pytest

from quantum_circuit_env.evals.blocks import BlockError, replace_blocks, rewrite
from quantum_circuit_env.evals.commands_board import BLOCK

ROOT = Path(__file__).parents[2]

TEXT = """# Title

<!-- begin one -->
old
<!-- end one -->

between

<!-- begin two -->
<!-- end two -->
last line
"""


def test_blocks_are_replaced_and_all_else_stays() -> None:
    assert replace_blocks(TEXT, {"one": "new\n\n| table |", "two": "2"}) == TEXT.replace(
        "old", "new\n\n| table |"
    ).replace("<!-- begin two -->\n", "<!-- begin two -->\n2\n")


def test_replacing_twice_is_replacing_once() -> None:
    once = replace_blocks(TEXT, {"two": "2\n"})
    assert replace_blocks(once, {"two": "2\n"}) == once
    assert replace_blocks(replace_blocks(once, {"two": "3"}), {"two": "2"}) == once


def test_replacing_nothing_changes_nothing() -> None:
    assert replace_blocks(TEXT, {}) == TEXT
    assert replace_blocks(TEXT, {"one": "old"}) == TEXT


def test_a_group_reference_in_the_content_is_taken_as_it_is() -> None:
    assert r"\1 \g<0>" in replace_blocks(TEXT, {"one": r"\1 \g<0>"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TEXT.replace("<!-- begin one -->", ""), "begin one --> must be there once, it is there 0 times"),
        (TEXT.replace("<!-- end one -->", ""), "end one --> must be there once, it is there 0 times"),
        (TEXT + "<!-- begin one -->\n", "begin one --> must be there once, it is there 2 times"),
        (TEXT + "<!-- end one -->\n", "end one --> must be there once, it is there 2 times"),
        (TEXT.replace("<!-- begin one -->", "a <!-- begin one -->"), "it is there 0 times"),
        ("<!-- end one -->\n<!-- begin one -->\n", "comes before"),
        (TEXT.replace("old", "<!-- begin three -->"), "another block begins or ends between"),
    ],
)
def test_a_missing_or_doubled_marker_is_told(text: str, said: str) -> None:
    with pytest.raises(BlockError, match=said):
        replace_blocks(text, {"one": "new"})


def test_the_file_is_replaced_as_a_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text(TEXT, encoding="utf-8")
    path.chmod(0o640)
    opened = path.open(encoding="utf-8")
    rewrite(path, {"one": "µs"})
    with opened:
        assert opened.read() == TEXT
    assert path.read_text(encoding="utf-8") == TEXT.replace("old", "µs")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_refused_file_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text("no block here\n", encoding="utf-8")
    with pytest.raises(BlockError):
        rewrite(path, {"one": "new"})
    assert path.read_text(encoding="utf-8") == "no block here\n"
    assert list(tmp_path.iterdir()) == [path]


def test_readme_has_every_block_that_the_tables_are_written_to() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    names = [*runpy.run_path(str(ROOT / "benchmarks" / "tables.py"))["BENCHMARKS"], BLOCK]
    assert len(names) == len(set(names)) == readme.count("<!-- begin ") > 1
    assert "new" in replace_blocks(readme, dict.fromkeys(names, "new"))
