"""Standard output of inference.py, read line by line against a strict grammar and replayed on the game."""

import re
from dataclasses import dataclass, field

from qrewrite.game import Action, Episode
from qrewrite.rules import INVALID_REWARD, RULES
from qrewrite.tasks import TIERS, generate

_PLAIN = r"[A-Za-z0-9._/:@+()-]{1,120}"
_REWARD = r"-?[0-9]+\.[0-9]{2}"
_START = re.compile(rf"\[START\] task=(easy|medium|hard) env=quantum_circuit_env model=({_PLAIN})")
_STEP = re.compile(
    rf"\[STEP\] step=([1-9][0-9]*) action=((?:cancel|swap|hxh|cnots)\([0-9]+\)|none) reward=({_REWARD}) "
    r"done=(true|false) error=([a-z_]+)"
)
_END = re.compile(
    r"\[END\] success=(true|false) steps=([0-9]+) score=([01]\.[0-9]{3}) "
    rf"rewards=((?:{_REWARD}(?:,{_REWARD})*)?)"
)


@dataclass
class Step:
    action: str
    reward: float
    done: bool
    error: str | None

    def __str__(self) -> str:
        return f"{self.action} {self.reward:.2f} {self.error}"


@dataclass
class Played:
    """One episode as its lines tell it."""

    task: str
    model: str
    steps: list[Step] = field(default_factory=list)
    success: bool = False
    score: float = -1.0


def read(stdout: str) -> list[Played]:
    """Return the episodes; fails on any line that does not belong where it stands."""
    assert stdout == "" or stdout.endswith("\n")
    episodes: list[Played] = []
    running = False
    for line in stdout.split("\n")[:-1]:
        if not running:
            start = _START.fullmatch(line)
            assert start, f"expected [START], got {line!r}"
            episodes.append(Played(start[1], start[2]))
            running = True
        elif step := _STEP.fullmatch(line):
            assert int(step[1]) == len(episodes[-1].steps) + 1
            error = None if step[5] == "null" else step[5]
            episodes[-1].steps.append(Step(step[2], float(step[3]), step[4] == "true", error))
        else:
            end = _END.fullmatch(line)
            assert end, f"expected [STEP] or [END], got {line!r}"
            _close(episodes[-1], end)
            running = False
    assert not running, "the last episode has no [END]"
    return episodes


def _close(episode: Played, end: re.Match[str]) -> None:
    rewards = [float(reward) for reward in end[4].split(",") if reward]
    assert int(end[2]) == len(episode.steps)
    assert rewards == [step.reward for step in episode.steps]
    assert not any(step.done for step in episode.steps[:-1])
    episode.success, episode.score = end[1] == "true", float(end[3])


def assert_replays(episode: Played, seed: int) -> Episode:
    """Play the steps again and compare rewards, ends and refusals; return the episode replayed."""
    again = Episode(generate(episode.task, seed), par=TIERS[episode.task].par)
    for step in episode.steps:
        target, kind = _action(step, again)
        reward = again.play(kind, target)
        assert step.reward == round(reward, 2)
        assert step.done == again.done
        assert (step.error is None) == (again.action_result is RULES[kind].accepted)
        if step.action == "none":
            assert reward == INVALID_REWARD
        elif step.error is not None:
            assert step.error == again.action_result
    return again


def _action(step: Step, episode: Episode) -> Action:
    if step.action == "none":
        return Action(episode.gate_count, 1)
    name, _, index = step.action[:-1].partition("(")
    return Action(int(index), next(rule.action_type for rule in RULES.values() if rule.name == name))
