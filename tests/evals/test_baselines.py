"""Baselines are on every board: played where runs have none, kept, no part of what is said of the others."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from quantum_circuit_env.evals import commands_compare
from quantum_circuit_env.evals.baseline_runs import baseline_runs, kept_in
from quantum_circuit_env.evals.baselines import BASELINES, Wanted, hindrance, wanted
from quantum_circuit_env.evals.compare import compare
from quantum_circuit_env.evals.comparison import Comparison
from quantum_circuit_env.evals.evaluate import evaluate
from quantum_circuit_env.evals.report import render_html, render_markdown
from quantum_circuit_env.evals.revision import Revision
from quantum_circuit_env.evals.stats.multiplicity import holm
from quantum_circuit_env.evals.store import EPISODES, RunFolder
from support.compared import FIRST, run_of
from support.evaluations import config, results

TURNS = 15
AGENTS = ("best-of:k=2", "identity-first", "swap-loop")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    asked = config(*AGENTS, seeds=8, tiers=("easy", "medium"), samples=2, turns=TURNS, executor="async")
    return evaluate(asked, tmp_path_factory.mktemp("runs") / "asked")


@pytest.fixture(scope="module")
def kept(run: RunFolder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the baselines of the run are."""
    cache = tmp_path_factory.mktemp("baselines")
    baseline_runs(wanted([run]), cache)
    return cache


@pytest.fixture(scope="module")
def found(run: RunFolder, kept: Path) -> Comparison:
    return compare([run], baselines=baseline_runs(wanted([run]), kept), resamples=200)


@pytest.fixture(scope="module")
def alone(run: RunFolder) -> Comparison:
    return compare([run], resamples=200)


def test_each_tier_gets_what_it_lacks_on_all_its_seeds(tmp_path: Path) -> None:
    rows = [[0.5, 0.5]] * 3
    one = run_of(
        tmp_path / "one", {"null": {"easy": rows, "hard": rows}, "optimal": {"easy": rows, "hard": rows}}
    )
    two = run_of(tmp_path / "two", {"uniform": {"hard": [[0.5]] * 2}}, first=FIRST + 2, samples=1)
    easy, hard = wanted([one, two])
    seeds = tuple(range(FIRST, FIRST + 3))
    assert easy == Wanted(("uniform", "random-legal", "cancel-first"), "easy", seeds, None, 2, TURNS)
    assert hard == Wanted(("random-legal", "cancel-first"), "hard", (*seeds, FIRST + 3), None, 2, TURNS)
    full = run_of(tmp_path / "full", {name: {"easy": rows} for name in BASELINES})
    assert wanted([full]) == []


def test_baselines_are_what_evaluate_would_have_played(run: RunFolder, kept: Path) -> None:
    made = baseline_runs(wanted([run]), kept)
    assert [one.info.tiers for one in made] == [("easy",), ("medium",)]
    asked = config(*BASELINES, seeds=8, tiers=("easy", "medium"), samples=2, turns=TURNS, executor="async")
    expected = results(evaluate(asked, kept / "evaluated"))
    assert {key: episode for one in made for key, episode in results(one).items()} == expected


def test_what_was_played_is_not_played_again(run: RunFolder, kept: Path) -> None:
    files = [one.path / EPISODES for one in baseline_runs(wanted([run]), kept)]
    before = [path.stat().st_mtime_ns for path in files]
    assert [path.stat().st_mtime_ns for path in files if baseline_runs(wanted([run]), kept)] == before


def test_what_was_broken_off_goes_on(run: RunFolder, kept: Path, tmp_path: Path) -> None:
    (easy, _) = wanted([run])
    whole = kept_in(kept, easy)
    half = kept_in(tmp_path, easy)
    half.mkdir(parents=True)
    (half / "run.json").write_bytes((whole / "run.json").read_bytes())
    lines = (whole / EPISODES).read_text("utf-8").splitlines(keepends=True)
    (half / EPISODES).write_text("".join(lines[:7]) + lines[7][:30], "utf-8")
    (again,) = baseline_runs([easy], tmp_path)
    assert again.missing() == []
    assert results(again) == results(RunFolder.open(whole))


def test_what_is_played_and_what_was_broken_off_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = Wanted(("null", "optimal"), "easy", (1, 2, 3), None, 2, 15)

    class Signal:
        """Ends the run as a signal does, behind the third episode."""

        def __init__(self) -> None:
            self.calls = 0

        @contextmanager
        def held(self) -> Iterator[None]:
            yield
            self.calls += 1
            if self.calls == 4:
                raise SystemExit(130)

    with pytest.raises(SystemExit):
        baseline_runs([asked], tmp_path, interrupts=Signal())  # type: ignore[arg-type]
    first, second = capsys.readouterr().err.splitlines()
    assert first == "baselines on easy: 12 episodes to play"
    told = re.fullmatch(
        r"baselines on easy stopped: (\d+) of 12 episodes are in (.*); the same command goes on", second
    )
    assert told is not None
    stored = int(told[1])
    assert 0 < stored < 12
    assert len(list(RunFolder.open(Path(told[2])).episodes())) == stored
    baseline_runs([asked], tmp_path)
    assert capsys.readouterr().err == f"baselines on easy: {12 - stored} episodes to play\n"
    baseline_runs([asked], tmp_path)
    assert capsys.readouterr().err == ""


def test_other_seeds_turns_or_samples_are_kept_elsewhere(kept: Path) -> None:
    asked = Wanted(("null",), "easy", (1, 2), None, 1, 15)
    others = [asked._replace(turns=16), asked._replace(seeds=(1, 3)), asked._replace(samples=2)]
    assert len({kept_in(kept, one) for one in (asked, *others)}) == 4


def test_all_that_is_said_of_the_others_is_as_without_baselines(found: Comparison, alone: Comparison) -> None:
    for with_them, without in zip(found.tiers, alone.tiers, strict=True):
        assert [own for own in with_them.standings if not own.baseline] == list(without.standings)
        assert with_them.pairs == without.pairs
        assert with_them.tied == without.tied
        assert {own: with_them.profile[own] for own in without.profile} == without.profile
    assert found.agreements == alone.agreements


def test_baselines_stand_in_the_table_and_in_no_rank(found: Comparison) -> None:
    for tier in found.tiers:
        baselines = [own for own in tier.standings if own.baseline]
        assert {own.agent for own in baselines} == set(BASELINES)
        assert all(own.rank is None for own in baselines)
        means = [own.mean.mean or 0 for own in tier.standings]
        assert means == sorted(means, reverse=True)
        assert baselines[-1].agent == "null"
        assert baselines[-1].score.mean == pytest.approx(0.01)


def test_each_agent_meets_each_baseline_in_a_family_of_their_own(found: Comparison) -> None:
    for tier in found.tiers:
        agents = {own.agent for own in tier.standings if not own.baseline}
        assert {(pair.a, pair.b) for pair in tier.against} == {(a, b) for a in agents for b in BASELINES}
        assert [pair.p_holm for pair in tier.against] == holm([pair.p for pair in tier.against])
        means = {own.agent: own.mean.mean or 0 for own in tier.standings}
        for pair in tier.against:
            assert pair.difference.mean == pytest.approx(means[pair.a] - means[pair.b])
        floor = next(pair for pair in tier.against if (pair.a, pair.b) == ("identity-first", "null"))
        assert floor.p == 2 / 2**8


def test_no_absent_baseline_is_warned_of_and_absent_ones_are(found: Comparison, alone: Comparison) -> None:
    assert not any("baseline" in told for told in found.warnings)
    (told,) = (told for told in alone.warnings if "baseline" in told)
    assert told == f"no baseline to read the numbers by: {', '.join(BASELINES)} did not play"


def test_reports_mark_them_and_say_what_they_are(found: Comparison, alone: Comparison) -> None:
    for render in (render_html, render_markdown):
        assert "optimal (baseline)" in render(found).replace("\\", "")
        assert "were played for this comparison" in render(found)
        assert "baseline)" not in render(alone).replace("\\", "")


def test_a_baseline_that_was_asked_for_is_an_agent_as_the_others(tmp_path: Path) -> None:
    asked = config("null", "cancel-first", seeds=6, tiers=("easy",), turns=TURNS, executor="async")
    run = evaluate(asked, tmp_path / "run")
    made = baseline_runs(wanted([run]), tmp_path / "kept")
    (tier,) = compare([run], baselines=made, resamples=200).tiers
    assert {own.agent for own in tier.standings if not own.baseline} == {"null", "cancel-first"}
    assert {own.agent for own in tier.standings if own.baseline} == {"uniform", "random-legal", "optimal"}
    assert [(pair.a, pair.b) for pair in tier.pairs] == [("cancel-first", "null")]


def stale(path: Path) -> RunFolder:
    """A run of an evaluator that is no more."""
    run = run_of(path, {"beam:width=8": {"easy": [[0.5]] * 3}})
    evaluator = Revision("0.9", run.info.evaluator.parts)
    info = replace(run.info, evaluator=evaluator, revision=str(evaluator))
    episodes = [replace(episode, evaluator_revision=info.revision) for episode in run.episodes()]
    with RunFolder.create(path / "old", info) as old:
        for episode in episodes:
            old.append(episode)
    return RunFolder.open(path / "old")


def test_runs_of_another_evaluator_get_none_and_are_told_why(run: RunFolder, tmp_path: Path) -> None:
    assert hindrance([run]) is None
    why = hindrance([stale(tmp_path)])
    assert why is not None
    assert "evaluator 0.9+" in why
    assert "rescore" in why


@pytest.fixture(scope="module")
def app() -> typer.Typer:
    made = typer.Typer()
    for command in ("compare", "report"):
        made.command()(getattr(commands_compare, command))
    return made


def asked_of(app: typer.Typer, *arguments: object) -> tuple[int, str]:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, list(map(str, arguments)))
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, " ".join(result.output.replace("│", " ").split())


def plain(path: Path) -> str:
    """Markdown without its escapes."""
    return path.read_text("utf-8").replace("\\", "")


def test_the_commands_play_them(app: typer.Typer, tmp_path: Path) -> None:
    run = run_of(tmp_path / "r", {"beam:width=8": {"easy": [[0.5]] * 6}}, turns=TURNS)
    status, told = asked_of(app, "compare", run.path, "--out", tmp_path / "out")
    assert status == 0
    assert "null (baseline) – 0.000" in told
    assert len(list((tmp_path / "out" / "baselines").iterdir())) == 1
    data = json.loads((tmp_path / "out" / "compare.json").read_text())
    assert len(data["tiers"][0]["against"]) == 5
    assert asked_of(app, "report", run.path, "--out", tmp_path / "out", "--format", "md")[0] == 0
    assert "optimal (baseline)" in plain(tmp_path / "out" / "report.md")


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--no-baselines"], "(as --no-baselines says)"), (["--side-by-side"], "(side by side none is added)")],
)
def test_where_none_are_played_it_is_said(
    app: typer.Typer, tmp_path: Path, options: list[str], said: str
) -> None:
    run = run_of(tmp_path / "r", {"beam:width=8": {"easy": [[0.5]] * 6}})
    status, told = asked_of(app, "compare", run.path, "--out", tmp_path / "out", *options)
    assert status == 0
    assert f"null, uniform, random-legal, cancel-first, optimal did not play {said}" in told
    assert said.split()[0].strip("(") in plain(tmp_path / "out" / "compare.md")
    assert not (tmp_path / "out" / "baselines").exists()


def test_the_command_tells_why_an_old_run_has_none(app: typer.Typer, tmp_path: Path) -> None:
    status, told = asked_of(app, "compare", stale(tmp_path).path, "--out", tmp_path / "out")
    assert status == 0
    assert "cannot play for it: rescore" in told
