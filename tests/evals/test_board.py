"""The baseline board: the same bytes whenever it is played, and nothing written where it is only checked."""

import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from qrewrite.tasks import GAME_VERSION
from quantum_circuit_env.agents.spec import CATALOGUE
from quantum_circuit_env.evals import commands_board
from quantum_circuit_env.evals.board import AGENTS, Asked
from quantum_circuit_env.evals.board_tables import LEFT_OUT
from quantum_circuit_env.evals.configuration import EvaluateError
from quantum_circuit_env.evals.revision import evaluator_revision
from quantum_circuit_env.evals.store import EPISODES, RunFolder
from quantum_circuit_env.evals.summary import summary

ROOT = Path(__file__).parents[2]
EMPTY = "# Title\n\n<!-- begin board -->\n<!-- end board -->\n\nlast\n"
FEW = ("--seeds", "2", "--turns", "20,3")


def asked(home: Path, *options: str, out: str = "out") -> tuple[int, str]:
    """Exit status of `board` on the files of a folder, and what it says."""
    app = typer.Typer()
    app.command()(commands_board.board)
    files = ("--readme", str(home / "README.md"), "--html", str(home / "docs" / "b.html"))
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["--out", str(home / out), *files, *options])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, " ".join(result.output.replace("│", " ").split())


def files_of(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (home / "README.md", *(home / "docs").iterdir())}


def empty(home: Path) -> Path:
    (home / "docs").mkdir(parents=True)
    (home / "README.md").write_text(EMPTY, "utf-8")
    return home


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = empty(tmp_path_factory.mktemp("board") / "one")
    assert asked(made, *FEW)[0] == 0
    return made


def test_played_anew_elsewhere_it_is_the_same_to_the_last_byte(home: Path, tmp_path: Path) -> None:
    again = empty(tmp_path / "two")
    assert asked(again, *FEW, "--workers", "1")[0] == 0
    assert files_of(again) == files_of(home)
    assert files_of(home).keys() == {"README.md", "b.html", "b-3-turns.html"}
    # They were played, each on its own.
    runs = [(one / "out" / "turns-20" / EPISODES).read_bytes() for one in (home, again)]
    assert runs[0] != runs[1]


def test_with_its_runs_there_nothing_is_played_and_nothing_differs(home: Path) -> None:
    played = (home / "out" / "turns-3" / EPISODES).read_bytes()
    assert asked(home, *FEW, "--check") == (0, "")
    assert (home / "out" / "turns-3" / EPISODES).read_bytes() == played


def test_check_shows_what_differs_and_writes_nothing(home: Path) -> None:
    readme, page = home / "README.md", home / "docs" / "b-3-turns.html"
    whole = files_of(home)
    try:
        readme.write_text(readme.read_text("utf-8").replace("| null |", "| zero |", 1), "utf-8")
        page.unlink()
        changed = files_of(home)
        status, told = asked(home, *FEW, "--check")
        assert status == 1
        assert "-| zero |" in told
        assert "+| null |" in told
        assert "+<!doctype html>" in told
        assert files_of(home) == changed
    finally:
        readme.write_bytes(whole["README.md"])
        page.write_bytes(whole["b-3-turns.html"])


def test_the_block_has_every_baseline_and_says_how_it_was_made(home: Path) -> None:
    text = (home / "README.md").read_text("utf-8")
    assert text.startswith(
        "# Title\n\n<!-- begin board -->\n`uv run quantum-circuit-env board --seeds 2 --turns 20,3`"
    )
    assert text.endswith("</details>\n<!-- end board -->\n\nlast\n")
    assert f"Game version {GAME_VERSION}, evaluator {evaluator_revision(turns=20)}, at most 20 turns" in text
    assert f"evaluator {evaluator_revision(turns=3)};" in text
    tables = re.findall(r"^\| (\w+) \| rank \|.*\n\|[-:| ]+\|\n((?:\|.*\|\n)+)", text, re.MULTILINE)
    assert [tier for tier, _ in tables] == ["easy", "medium", "hard"] * 2
    shown = {str(spec) for spec in AGENTS} - set(LEFT_OUT)
    for _, rows in tables:
        assert {row.split(" | ")[0].strip("| ") for row in rows.splitlines()} == shown
    assert len(re.findall("without bonus", text)) == 2
    assert {spec.name for spec in AGENTS} == set(CATALOGUE) - {"llm"}
    for page in ("b.html", "b-3-turns.html"):
        assert f"(docs/{page})" in text
        html = (home / "docs" / page).read_text("utf-8")
        assert all(str(spec) in html for spec in AGENTS)
        assert f"quantum_circuit_env/{GAME_VERSION}" in html


def test_its_numbers_are_those_of_its_episodes(home: Path) -> None:
    text = (home / "README.md").read_text("utf-8").partition("<details>")[0]
    for row in summary(RunFolder.open(home / "out" / "turns-20").episodes()):
        if row.agent_id not in LEFT_OUT:
            table = text.split(f"| {row.tier} |")[1]
            (line, *_) = re.findall(rf"^\| {re.escape(row.agent_id)} \|.*", table, re.MULTILINE)
            assert f"| {row.norm_score.mean:.3f} [" in line
            assert f"| {row.score.mean:.3f} [" in line


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--turns", "0"), "turns must be in 1..150"),
        (("--turns", "15,15"), "each once"),
        (("--turns", "many"), "--turns takes numbers"),
        (("--seeds", "100000"), "split test has 1.."),
        (("--html", "/nowhere/b.html"), "there is no folder /nowhere"),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_played(
    tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    made = empty(tmp_path / "made")
    status, told = asked(made, *options)
    assert status == 2
    assert said in told
    assert files_of(made) == {"README.md": EMPTY.encode()}
    assert not (made / "out").exists()


def test_a_readme_without_the_block_is_told(tmp_path: Path) -> None:
    made = empty(tmp_path / "made")
    (made / "README.md").write_text("nothing\n", "utf-8")
    status, told = asked(made)
    assert status == 2
    assert "README.md: the line <!-- begin board --> must be there once" in told


def test_a_run_of_another_board_is_not_mixed_in(home: Path) -> None:
    before = files_of(home)
    status, told = asked(home, "--seeds", "3", "--turns", "20,3")
    assert status == 2
    assert "holds a run of another configuration: seeds: 2 in" in told
    assert files_of(home) == before


def test_the_command_names_only_what_is_not_as_usual() -> None:
    assert Asked().command == "uv run quantum-circuit-env board"
    assert Asked(5, "validation").command == "uv run quantum-circuit-env board --seeds 5 --split validation"
    with pytest.raises(EvaluateError):
        Asked(turns=())


def test_readme_has_the_board_of_this_game() -> None:
    block = (ROOT / "README.md").read_text("utf-8").partition("<!-- begin board -->")[2]
    block = block.partition("<!-- end board -->")[0]
    assert block.startswith(f"\n`{Asked().command}` has every built-in agent")
    assert f"Game version {GAME_VERSION}, evaluator" in block
    for page in re.findall(r"\((docs/[^)]*\.html)\)", block):
        assert f"quantum_circuit_env/{GAME_VERSION}" in (ROOT / page).read_text("utf-8")
