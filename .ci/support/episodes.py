"""A whole episode: as the game has it, as it crosses a bare WebSocket, and as the typed client sees it."""

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from qrewrite.game import Action, Episode
from qrewrite.policies import play, random_order
from qrewrite.tasks import TIERS, generate
from quantum_circuit_env import QuantumCircuitAction, QuantumCircuitEnv
from support.sockets import session

REFUSED = Action(target_index=10_000, action_type=1)


class Reset(NamedTuple):
    """What an episode is started with."""

    task: str
    seed: int
    episode_id: str
    hints: bool


RESET = Reset(task="medium", seed=5, episode_id="the same everywhere", hints=True)


def moves() -> list[Action]:
    """An episode to its end, a refused move and an accepted one that removes nothing among them."""
    played = play(_begin(), random_order, Random(1))
    return [played[0], REFUSED, *played[1:]]


def in_the_game() -> list[dict[str, Any]]:
    """What the game itself says after the reset and after each move."""
    episode = _begin()
    told = [_of(episode)]
    for move in moves():
        episode.play(move.action_type, move.target_index)
        told.append(_of(episode))
    return told


def over_a_bare_socket(url: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The data of all observation frames as they came, and the state at the end."""
    with session(url) as one:
        frames = [one.reset(**RESET._asdict()), *(one.step(*move) for move in moves())]
        return frames, one.state()


def seen_blocking(url: str) -> tuple[list[Any], Any]:
    """The results that the blocking client returns, and the state at the end."""
    with QuantumCircuitEnv(base_url=url).sync() as env:
        results = [env.reset(**RESET._asdict())]
        results += [env.step(QuantumCircuitAction(**move._asdict())) for move in moves()]
        return results, env.state()


async def seen_async(url: str) -> tuple[list[Any], Any]:
    """The results that the client returns when it is awaited, and the state at the end."""
    async with QuantumCircuitEnv(base_url=url) as env:
        results = [await env.reset(**RESET._asdict())]
        for move in moves():
            results.append(await env.step(QuantumCircuitAction(**move._asdict())))  # noqa: PERF401
        return results, await env.state()


def check_frames(frames: Sequence[dict[str, Any]]) -> None:
    """The socket's frames must tell the game's own story."""
    told = [
        {
            "circuit": frame["observation"]["circuit"],
            "reward": frame["reward"],
            "done": frame["done"],
            "action_result": frame["observation"]["metadata"]["action_result"],
        }
        for frame in frames
    ]
    assert told == in_the_game()
    assert [frame["done"] for frame in frames] == [False] * (len(frames) - 1) + [True]


def check_seen(seen: tuple[list[Any], Any], frames: Sequence[dict[str, Any]], state: dict[str, Any]) -> None:
    """What the client returned must be what crossed the socket, field by field, and nothing else."""
    results, its_state = seen
    assert len(results) == len(frames)
    for result, frame in zip(results, frames, strict=True):
        fields = result.observation.model_dump(mode="json")
        assert (result.reward, result.done) == (frame["reward"], frame["done"])
        assert (fields.pop("reward"), fields.pop("done")) == (frame["reward"], frame["done"])
        assert fields == frame["observation"]
        assert fields["metadata"]["legality"] is not None
    assert its_state.model_dump(mode="json") == state


def _begin() -> Episode:
    return Episode(generate(RESET.task, RESET.seed), par=TIERS[RESET.task].par)


def _of(episode: Episode) -> dict[str, Any]:
    return {
        "circuit": [
            {"name": gate["name"], "target_qubits": list(gate["target_qubits"])}
            for gate in episode.circuit().records()
        ],
        "reward": episode.reward,
        "done": episode.done,
        "action_result": episode.action_result.value,
    }
