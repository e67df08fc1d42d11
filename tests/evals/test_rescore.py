"""Grading stored runs again: exact where nothing has changed, and honest where it cannot be done."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import fsum
from pathlib import Path

import pytest

from quantum_circuit_env.agents.vocabulary import UNUSABLE, EndReason, ErrorClass
from quantum_circuit_env.evals import playing
from quantum_circuit_env.evals.provenance import RunInfo
from quantum_circuit_env.evals.records import Episode, Played, digest_of_actions
from quantum_circuit_env.evals.rescore import RescoreError, rescore
from quantum_circuit_env.evals.revision import Revision
from quantum_circuit_env.evals.store import RunFolder
from support.runs import episode_of, run_info
from support.units import SCRIPTED, played, timeless

TIERS = ("easy", "medium", "hard")
AGENTS = tuple(str(agent) for agent in ("null", "always-0-1", "uniform", "cancel-first", "beam:width=1"))


def stored(path: Path, info: RunInfo, episodes: list[Episode]) -> RunFolder:
    with RunFolder.create(path, info) as run:
        for episode in episodes:
            run.append(replace(episode, run_id=info.run_id, evaluator_revision=info.revision))
    return RunFolder.open(path)


def played_run(path: Path, turns: int) -> RunFolder:
    info = run_info(AGENTS, tiers=TIERS, seeds=[3_000_000], samples=1, turns=turns)
    return stored(path, info, [played(key.agent_id, key.tier, turns=turns) for key in info.keys()])  # noqa: SIM118


@pytest.mark.parametrize("turns", [7, 150])
def test_nothing_changes_where_the_evaluator_has_not_changed(tmp_path: Path, turns: int) -> None:
    assert set(AGENTS) <= set(SCRIPTED)
    run = played_run(tmp_path / "run", turns)
    table = rescore(run, tmp_path / "again")
    again = RunFolder.open(tmp_path / "again")
    assert again.info.rescored_from == run.info.run_id
    assert [replace(episode, run_id=run.info.run_id) for episode in again.episodes()] == run.episodes()
    assert (table.episodes, table.not_graded, table.changes, table.differing) == (15, 0, (), ())
    assert table.edits == ()
    assert {episode.end_reason for episode in run.episodes()} > {EndReason.AGENT_STOP}


def test_unusable_replies_stay_what_they_were(tmp_path: Path) -> None:
    info = run_info(("null",), seeds=[3_000_000], samples=1, turns=15)
    made = played("null", turns=15)
    kinds = (ErrorClass.EMPTY_OUTPUT, ErrorClass.REFUSAL, *[ErrorClass.UNPARSEABLE] * 3)
    made = replace(
        made,
        end_reason=EndReason.INVALID_STREAK,
        actions=tuple(Played(made.g0, 1, kind) for kind in kinds),
        rewards=(-0.1,) * 5,
        episode_return=-0.5,
        steps=5,
        turns=5,
        replies=5,
        classes={ErrorClass.EMPTY_OUTPUT: 1, ErrorClass.REFUSAL: 1, ErrorClass.UNPARSEABLE: 3},
        action_digest=digest_of_actions([(made.g0, 1)] * 5),
        tokens_in=7,
        latency_s=1.5,
    )
    run = stored(tmp_path / "run", info, [made])
    table = rescore(run, tmp_path / "again")
    assert (table.changes, table.edits) == ((), ())
    (again,) = RunFolder.open(tmp_path / "again").episodes()
    assert replace(again, run_id=run.info.run_id) == run.episodes()[0]


def test_another_grader_gives_a_flip_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = played_run(tmp_path / "run", 150)
    best = playing.best_known
    monkeypatch.setattr(playing, "best_known", lambda *task: best(*task)._replace(left=0, method="bound"))
    table = rescore(run, tmp_path / "again")
    solved = [episode for episode in run.episodes() if episode.success_t1]
    assert solved
    assert table.flips("pass_to_fail") == len(solved)
    assert table.flips("fail_to_pass") == 0
    assert {(change.agent, change.tier, change.seed, change.sample) for change in table.changes} >= {
        episode.key for episode in solved
    }
    assert all(change.score_before == change.score_after for change in table.changes)
    told = table.as_json()
    assert {change["flip"] for change in told["changes"]} >= {"pass_to_fail"}


def test_incomplete_episodes_stay_incomplete(tmp_path: Path) -> None:
    info = run_info(("null",), seeds=[3_000_000], samples=1, turns=15)
    (key,) = info.keys()
    run = stored(tmp_path / "run", info, [episode_of(info, key, complete=False)])
    table = rescore(run, tmp_path / "again")
    assert (table.episodes, table.not_graded) == (0, 1)
    assert [episode.complete for episode in RunFolder.open(tmp_path / "again").episodes()] == [False]


def test_actions_that_end_too_early_are_no_result(tmp_path: Path) -> None:
    info = run_info(("cancel-first",), seeds=[3_000_000], samples=1, turns=150)
    made = played("cancel-first")
    short = shortened(made)
    run = stored(tmp_path / "run", info, [short])
    table = rescore(run, tmp_path / "again")
    (again,) = RunFolder.open(tmp_path / "again").episodes()
    assert (again.complete, again.score) == (False, None)
    assert again.error == f"its actions end before the episode does, which was {made.end_reason}"
    (edit,) = table.edits
    assert {"status", "end_reason", "score", "error"} <= set(edit.fields)


def of_actions(made: Episode, actions: tuple[Played, ...], rewards: tuple[float, ...]) -> Episode:
    """The record with other actions, and all counts that are made of them."""
    kinds = Counter(played.turn_class for played in actions)
    return replace(
        made,
        actions=actions,
        rewards=rewards,
        episode_return=round(fsum(rewards), 2),
        turns=len(actions),
        replies=len(actions),
        classes=dict(kinds),
        valid_outputs=sum(count for kind, count in kinds.items() if kind not in UNUSABLE),
        legal_actions=kinds[ErrorClass.OK],
        strict_outputs=0,
        action_digest=digest_of_actions(turn[:2] for turn in actions),
    )


def shortened(made: Episode) -> Episode:
    return of_actions(made, made.actions[:-1], made.rewards[:-1])


def surplus(made: Episode) -> Episode:
    return of_actions(made, (*made.actions, made.actions[-1]), (*made.rewards, made.rewards[-1]))


def other_class(made: Episode) -> Episode:
    index, action_type, _ = made.actions[0]
    others = (Played(index, action_type, ErrorClass.PATTERN_ABSENT), *made.actions[1:])
    return of_actions(made, others, made.rewards)


def other_rewards(made: Episode) -> Episode:
    return of_actions(made, made.actions, (9.5, *made.rewards[1:]))


def other_circuit(made: Episode) -> Episode:
    return replace(made, final_digest="0" * 16)


def other_grade(made: Episode) -> Episode:
    return replace(made, score=0.99, score_without_bonus=0.99)


def other_suite(made: Episode) -> Episode:
    return replace(made, suite="quantum_circuit_env/0.9.0", bonus=not made.bonus)


@pytest.mark.parametrize(
    ("forged", "fields"),
    [
        (surplus, {"return", "turns", "replies", "classes", "actions", "rewards", "action_digest"}),
        (other_class, {"classes", "legal_actions", "actions"}),
        (other_rewards, {"return", "rewards"}),
        (other_circuit, {"final_digest"}),
        (other_grade, {"score", "score_without_bonus"}),
        (other_suite, {"suite", "bonus"}),
    ],
)
def test_a_record_that_does_not_follow_from_its_actions_was_edited(
    tmp_path: Path, forged: Callable[[Episode], Episode], fields: set[str]
) -> None:
    info = run_info(("null", "cancel-first"), seeds=[3_000_000], samples=1, turns=150)
    honest, made = played("null"), replace(played("cancel-first"), strict_outputs=0)
    table = rescore(stored(tmp_path / "run", info, [honest, forged(made)]), tmp_path / "again")
    (edit,) = table.edits
    assert (edit.agent, edit.tier, edit.seed, edit.sample) == made.key
    assert fields <= set(edit.fields) <= fields | {"valid_outputs", "legal_actions"}
    (told,) = table.as_json()["edits"]
    assert told["fields"] == edit.fields
    again = {episode.agent_id: episode for episode in RunFolder.open(tmp_path / "again").episodes()}
    ours = replace(made, run_id=table.run_id, evaluator_revision=info.revision)
    assert timeless(again["cancel-first"]) == timeless(ours)


def changed(path: Path, agents: tuple[str, ...], model: str | None, **parts: str | int) -> RunFolder:
    """A run of another evaluator, of agents that ask a model or none."""
    info = run_info(agents, seeds=[3_000_000], samples=1)
    evaluator = Revision(info.evaluator.version, {**info.evaluator.parts, **parts})
    asked = tuple(replace(agent, model=model) for agent in info.agents)
    info = replace(info, evaluator=evaluator, revision=str(evaluator), agents=asked)
    return stored(path, info, [played(agent, turns=15) for agent in agents])


@pytest.mark.parametrize("part", ["step_limit", "invalid_streak", "prompt_template", "parser_version"])
def test_what_stored_actions_cannot_cross_is_named(tmp_path: Path, part: str) -> None:
    run = changed(tmp_path / "run", ("null",), "m", **{part: "other"})
    with pytest.raises(
        RescoreError, match=rf"{part}: other when it was played, .* now\): play the run again"
    ):
        rescore(run, tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_who_asks_no_model_has_neither_prompt_nor_parser(tmp_path: Path) -> None:
    run = changed(tmp_path / "run", ("cancel-first",), None, parser_version="other", optima="other")
    table = rescore(run, tmp_path / "again")
    assert table.edits == ()
    assert [told.partition(":")[0] for told in table.differing] == ["optima", "parser_version"]
    assert table.changes == ()


def test_another_circuit_is_told(tmp_path: Path) -> None:
    info = run_info(("null",), seeds=[3_000_000], samples=1, turns=15)
    run = stored(tmp_path / "run", info, [replace(played("null", turns=15), instance_digest="0" * 16)])
    with pytest.raises(RescoreError, match=r"easy 3000000 is another circuit now .* instead of 0{16}"):
        rescore(run, tmp_path / "again")
