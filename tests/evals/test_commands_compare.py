"""The commands on stored runs: what they write, and what they refuse with exit status 2."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from quantum_circuit_env.evals import commands_compare, commands_runs
from quantum_circuit_env.evals.store import RunFolder
from support.compared import run_of
from support.runs import run_info
from support.units import played

ROWS = [[0.1 * (seed % 4)] for seed in range(8)]
BEST = [[1.0 - 0.01 * seed] for seed in range(8)]


@pytest.fixture(scope="module")
def app() -> typer.Typer:
    made = typer.Typer()
    for command in (
        commands_compare.compare,
        commands_compare.report,
        commands_runs.power,
        commands_runs.rescore,
    ):
        made.command()(command)
    return made


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    scores = {"null": {"easy": ROWS}, "optimal": {"easy": BEST}}
    return run_of(tmp_path_factory.mktemp("runs") / "r", scores)


@pytest.fixture
def other(tmp_path: Path) -> RunFolder:
    return run_of(tmp_path / "other", {"uniform": {"easy": ROWS}}, turns=150)


def asked(app: typer.Typer, *arguments: object) -> tuple[int, str]:
    """Exit status, and all that was said with blanks between words."""
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, list(map(str, arguments)))
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, " ".join(result.output.replace("│", " ").split())


def test_compare_writes_three_files(app: typer.Typer, run: RunFolder, tmp_path: Path) -> None:
    status, told = asked(app, "compare", run.path, "--out", tmp_path / "out")
    assert status == 0
    assert "optimal a 1 (1 to 1) 0.965" in told
    assert "uniform (baseline) – 0." in told
    assert "note: no baseline" not in told
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "baselines",
        "compare.html",
        "compare.json",
        "compare.md",
    ]
    data = json.loads((tmp_path / "out" / "compare.json").read_text())
    assert data["tiers"][0]["pairs"][0]["p"] == 2 / 2**8
    assert (tmp_path / "out" / "compare.html").read_text().startswith("<!doctype html>")


def test_report_writes_what_is_asked_for(app: typer.Typer, run: RunFolder, tmp_path: Path) -> None:
    options = ("--format", "md", "--no-baselines")
    assert asked(app, "report", run.path, "--out", tmp_path, *options)[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]
    before = {path.name for path in run.path.iterdir()}
    assert asked(app, "report", run.path, *options)[0] == 0
    after = {path.name for path in run.path.iterdir()}
    assert after - before <= {"report.md", "summary.json", "episodes.parquet"} <= after
    status, told = asked(app, "report", run.path, "--format", "pdf")
    assert status == 2
    assert "--format takes html, md and json" in told


def test_runs_that_do_not_fit_are_refused_and_shown_side_by_side(
    app: typer.Typer, run: RunFolder, other: RunFolder, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    status, told = asked(app, "compare", run.path, other.path, "--out", out)
    assert status == 2
    assert "turns: 15 in" in told
    assert "150 in" in told
    assert "--side-by-side" in told
    assert not out.exists()
    status, told = asked(app, "compare", run.path, other.path, "--out", out, "--side-by-side")
    assert status == 0
    data = json.loads((out / "compare.json").read_text())
    assert (data["side_by_side"], data["tiers"][0]["pairs"], data["turns"]) == (True, [], [15, 150])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--metric", "beauty"], "the metric must be norm_score, score"),
        (["--target", "moon"], "population or fixed"),
        (["--alpha", "2"], "alpha must be above 0 and below 1, got 2"),
    ],
)
def test_wrong_options_are_refused(
    app: typer.Typer, run: RunFolder, tmp_path: Path, options: list[str], said: str
) -> None:
    status, told = asked(app, "compare", run.path, "--out", tmp_path / "out", *options)
    assert status == 2
    assert said in told


def test_a_folder_without_a_run_is_refused(app: typer.Typer, tmp_path: Path) -> None:
    for command in (("compare", tmp_path), ("rescore", tmp_path, "--out", tmp_path / "x")):
        status, told = asked(app, *command)
        assert status == 2
        assert "holds no run" in told


def test_power_plans_from_pilots(app: typer.Typer, run: RunFolder, tmp_path: Path) -> None:
    status, told = asked(app, "power", "--pilot", run.path, "--delta", "0.05")
    assert status == 0
    assert "easy null optimal 8 1 0.1" in told
    assert " seeds" in told
    status, told = asked(app, "power", "--pilot", run.path, "--n", "200")
    assert status == 0
    assert "finds 0.0" in told
    assert asked(app, "power", "--pilot", run.path)[0] == 2
    more = run_of(tmp_path / "more", {"uniform": {"easy": ROWS[::-1]}})
    status, told = asked(app, "power", "--pilot", run.path, more.path, "--delta", "0.05")
    assert status == 0
    assert "easy optimal uniform 8 1 0.1" in told


def test_rescore_makes_a_run_and_a_flip_table(app: typer.Typer, tmp_path: Path) -> None:
    info = run_info(("cancel-first",), seeds=[3_000_000], samples=1, turns=15)
    episode = played("cancel-first", turns=15)
    with RunFolder.create(tmp_path / "run", info) as made:
        made.append(replace(episode, run_id=info.run_id, evaluator_revision=info.revision, score=0.5))
    status, told = asked(app, "rescore", tmp_path / "run", "--out", tmp_path / "again")
    assert status == 1
    assert "What does not follow from the actions" in told
    assert "1 record edited after being played: the evaluator is the same" in told
    assert f"cancel-first easy 3000000 0 score only 0.5 → {episode.score}" in told
    flips = json.loads((tmp_path / "again" / "flips.json").read_text())
    assert (flips["rescored_from"], len(flips["changes"])) == (info.run_id, 1)
    (again,) = RunFolder.open(tmp_path / "again").episodes()
    assert again.score == episode.score
    status, told = asked(app, "rescore", tmp_path / "again", "--out", tmp_path / "third")
    assert status == 0
    assert "every score is what it was" in told
    status, told = asked(app, "rescore", tmp_path / "run", "--out", tmp_path / "again")
    assert status == 2
    assert "holds a run already" in told
