"""The typed client against a real server: every field crosses the wire, and a missing one is an error."""

import asyncio
import copy
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from openenv.core import GenericEnvClient

from quantum_circuit_env.client import QuantumCircuitEnv
from quantum_circuit_env.models import QuantumCircuitAction, QuantumCircuitObservation, QuantumCircuitState
from quantum_circuit_env.server.environment import QuantumCircuitEnvironment
from support.sockets import session

ACTIONS = [(0, 2), (3, 1), (10_000, 4), (1, 3), (5, 1)]


def act(target_index: int, action_type: int) -> QuantumCircuitAction:
    return QuantumCircuitAction(target_index=target_index, action_type=action_type)


def expected(task: str, seed: int) -> tuple[list[QuantumCircuitObservation], QuantumCircuitState]:
    env = QuantumCircuitEnvironment()
    seen = [env.reset(task=task, seed=seed, hints=True, episode_id="same")]
    seen += [env.step(act(*action)) for action in ACTIONS]
    return seen, env.state


def test_every_field_crosses_the_wire_blocking(server_url: str) -> None:
    with QuantumCircuitEnv(base_url=server_url).sync() as env:
        results = [env.reset(task="medium", seed=5, hints=True, episode_id="same")]
        results += [env.step(act(*action)) for action in ACTIONS]
        state = env.state()
    assert ([result.observation for result in results], state) == expected("medium", 5)
    assert all(result.reward == result.observation.reward for result in results)
    assert all(result.done is result.observation.done for result in results)


def test_every_field_crosses_the_wire_async(server_url: str) -> None:
    async def play() -> tuple[list[QuantumCircuitObservation], QuantumCircuitState]:
        async with QuantumCircuitEnv(base_url=server_url) as env:
            results = [await env.reset(task="hard", seed=6, hints=True, episode_id="same")]
            for action in ACTIONS:
                results.append(await env.step(act(*action)))  # noqa: PERF401
            return [result.observation for result in results], await env.state()

    assert asyncio.run(play()) == expected("hard", 6)


def test_an_error_of_the_server_is_raised_with_its_message_and_the_session_lives(server_url: str) -> None:
    with QuantumCircuitEnv(base_url=server_url).sync() as env:
        with pytest.raises(RuntimeError, match="send a reset first"):
            env.step(act(0, 1))
        with pytest.raises(RuntimeError, match=r"seed must be an integer in 0\.\.4294967295"):
            env.reset(seed=-1)
        assert env.reset(seed=1, task="easy").observation.gate_count == 20


def test_openenvs_untyped_client_plays_as_well(server_url: str) -> None:
    with GenericEnvClient(base_url=server_url).sync() as env:
        env.reset(task="easy", seed=1)
        result = env.step({"target_index": 10_000, "action_type": 1})
    assert result.reward == -0.1
    assert result.observation["metadata"]["action_result"] == "invalid_index"


@pytest.fixture(scope="module")
def reply(server_url: str) -> Iterator[dict[str, Any]]:
    with session(server_url) as one:
        yield one.reset(task="easy", seed=1, hints=True)


@pytest.fixture(scope="module")
def state(server_url: str) -> Iterator[dict[str, Any]]:
    with session(server_url) as one:
        one.reset(task="easy", seed=1)
        yield one.state()


@pytest.fixture
def client() -> QuantumCircuitEnv:
    return QuantumCircuitEnv(base_url="http://127.0.0.1:9")


TOP = ["observation", "reward", "done"]
OBSERVATION = ["circuit", "gate_count", "num_qubits", "prompt"]
METADATA = [
    "task",
    "initial_count",
    "step",
    "seed",
    "used_advanced_actions",
    "action_result",
    "termination",
    "score",
    "par",
    "game_version",
    "legality",
]
STATE = ["episode_id", "step_count", "task", "seed", "gate_count", "initial_count", "used_advanced_actions"]


@pytest.mark.parametrize("field", TOP)
def test_a_missing_part_of_a_reply_is_an_error(
    client: QuantumCircuitEnv, reply: dict[str, Any], field: str
) -> None:
    lacking = {name: value for name, value in reply.items() if name != field}
    with pytest.raises(ValueError, match=field):
        client._parse_result(lacking)


@pytest.mark.parametrize("field", OBSERVATION)
def test_a_missing_field_of_an_observation_is_an_error(
    client: QuantumCircuitEnv, reply: dict[str, Any], field: str
) -> None:
    lacking = copy.deepcopy(reply)
    del lacking["observation"][field]
    with pytest.raises(ValueError, match=f"{field}\n  Field required"):
        client._parse_result(lacking)


@pytest.mark.parametrize("field", METADATA)
def test_a_missing_key_of_the_metadata_is_an_error(
    client: QuantumCircuitEnv, reply: dict[str, Any], field: str
) -> None:
    lacking = copy.deepcopy(reply)
    del lacking["observation"]["metadata"][field]
    with pytest.raises(ValueError, match=f"{field}\n  Field required"):
        client._parse_result(lacking)


@pytest.mark.parametrize("field", [*STATE, "score", "game_version"])
def test_a_missing_field_of_the_state_is_an_error(
    client: QuantumCircuitEnv, state: dict[str, Any], field: str
) -> None:
    with pytest.raises(ValueError, match=f"{field}\n  Field required"):
        client._parse_state({name: value for name, value in state.items() if name != field})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("gate_count", "20"),
        ("gate_count", 20.0),
        ("gate_count", True),
        ("gate_count", -1),
        ("num_qubits", 0),
        ("prompt", None),
        ("circuit", None),
        ("circuit", [{"name": "H"}]),
        ("circuit", [{"name": "H", "target_qubits": ["0"]}]),
        ("circuit", [{"name": "H", "target_qubits": [0], "angle": 1}]),
        ("plan", []),
        ("metadata", {}),
        ("metadata", None),
    ],
)
def test_a_wrong_field_of_an_observation_is_an_error(
    client: QuantumCircuitEnv, reply: dict[str, Any], field: str, value: object
) -> None:
    wrong = copy.deepcopy(reply)
    wrong["observation"][field] = value
    with pytest.raises(ValueError, match=field):
        client._parse_result(wrong)


@pytest.mark.parametrize(
    ("field", "value"), [("reward", None), ("reward", "1"), ("reward", float("nan")), ("done", 1)]
)
def test_a_wrong_reward_or_done_is_an_error(
    client: QuantumCircuitEnv, reply: dict[str, Any], field: str, value: object
) -> None:
    with pytest.raises(ValueError, match=field):
        client._parse_result({**reply, field: value})


def test_an_observation_that_is_no_object_is_an_error(client: QuantumCircuitEnv) -> None:
    with pytest.raises(ValueError, match="must be an object"):
        client._parse_result({"observation": [], "reward": 0.0, "done": False})


def test_metadata_that_comes_beside_the_observation_only_is_found(
    client: QuantumCircuitEnv, reply: dict[str, Any]
) -> None:
    moved = copy.deepcopy(reply)
    metadata = moved["observation"].pop("metadata")
    assert client._parse_result(moved) == client._parse_result(reply)
    moved.pop("metadata")
    with pytest.raises(ValueError, match=r"lacks 'metadata', which servers with OpenEnv before 0\.10"):
        client._parse_result(moved)
    assert metadata["task"] == "easy"


FAKE_UV = """#!/bin/sh
if [ "$1" = --version ]; then exit 0; fi
echo "$@" > {told}
{then}
"""


@pytest.fixture
def fake_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Put a `uv` first on the path that tells its arguments in a file, then does as asked."""

    def make(then: str) -> Path:
        told = tmp_path / "told"
        script = tmp_path / "uv"
        script.write_text(FAKE_UV.format(told=told, then=then))
        script.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        return told

    return make


def clone(folder: Path) -> Path:
    (folder / "pyproject.toml").touch()
    return folder


@pytest.mark.parametrize(
    ("given", "app"),
    [({}, "quantum_circuit_env.server.app:app"), ({"app": "another:app"}, "another:app")],
)
def test_a_local_server_is_started_by_the_name_that_every_folder_knows(
    server_url: str, fake_uv: Callable[[str], Path], tmp_path: Path, given: dict[str, str], app: str
) -> None:
    told = fake_uv("exec sleep 60")
    port = int(server_url.rsplit(":", 1)[1])
    handle = QuantumCircuitEnv.from_env(
        "any", use_docker=False, project_path=clone(tmp_path), port=port, **given
    )
    with handle.sync() as env:
        assert env.reset(task="easy", seed=1).observation.gate_count == 20
    assert told.read_text().split() == [
        *["run", "--isolated", "--project", str(tmp_path), "--", "uvicorn", app],
        *["--host", "127.0.0.1", "--port", str(port), "--workers", "1"],
    ]


def test_a_local_server_that_ends_at_once_is_told_at_once(
    fake_uv: Callable[[str], Path], tmp_path: Path
) -> None:
    fake_uv("exec sleep 0.5")
    handle = QuantumCircuitEnv.from_env("any", use_docker=False, project_path=clone(tmp_path))
    with pytest.raises(RuntimeError, match="uv process exited prematurely with code 0"):
        handle.sync()


def test_a_local_server_that_is_late_is_told_with_the_option_that_gives_it_more_time(
    fake_uv: Callable[[str], Path], tmp_path: Path
) -> None:
    fake_uv("exec sleep 60")
    handle = QuantumCircuitEnv.from_env(
        "any", use_docker=False, project_path=clone(tmp_path), context_timeout_s=0.5
    )
    with pytest.raises(
        TimeoutError, match=r"does not answer within 0\.5 seconds; context_timeout_s gives it"
    ):
        handle.sync()


def test_without_a_clone_the_local_server_is_the_spaces(
    fake_uv: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_uv("exit 0")
    git = tmp_path / "git"
    git.write_text('#!/bin/sh\necho "$@" >&2\nexit 1\n')
    git.chmod(0o755)
    handle = QuantumCircuitEnv.from_env("owner/space", use_docker=False)
    with pytest.raises(RuntimeError, match=r"https://huggingface\.co/spaces/owner/space"):
        handle.sync()


@pytest.mark.parametrize(
    ("repo_id", "options", "message"),
    [
        ("quantum-circuit", {}, "repo_id must be a Space as owner/name"),
        ("quantum-circuit", {"use_docker": False}, "give use_docker=False and project_path"),
        ("https://huggingface.co/spaces/owner/space", {}, "repo_id must be a Space as owner/name"),
        ("owner/space", {"project_path": "."}, "project_path goes with use_docker=False"),
        ("any", {"use_docker": False, "project_path": "/nowhere"}, "must be the folder of a clone"),
    ],
)
def test_a_server_that_cannot_be_is_refused_before_anything_starts(
    repo_id: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        QuantumCircuitEnv.from_env(repo_id, **options)
