"""Use an installed wheel as its users do: `installed.py CLONE`, run by its own Python in any folder.

CLONE is a copy of the sources, for what `from_env` serves.
"""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from openenv import AutoAction, AutoEnv
from openenv.core import GenericEnvClient

import qrewrite
import quantum_circuit_env
from claims import claim
from episodes import RESET, check_frames, check_seen, moves, over_a_bare_socket, seen_async, seen_blocking
from quantum_circuit_env import QuantumCircuitAction, QuantumCircuitEnv
from quantum_circuit_env.agents.endpoint import KEYS
from support.servers import serving

BIN = Path(sys.executable).parent
NAMES = ("quantum-circuit", "quantum_circuit", "quantum-circuit-env", "quantum_circuit_env")


def main(clone: Path) -> None:
    """Try all that is promised of an installed package."""
    # It led here, and must lead nothing that is started from here.
    del os.environ["PYTHONPATH"]
    with claim("what is imported is the wheel's"):
        for module in (quantum_circuit_env, qrewrite):
            assert Path(module.__file__ or "").is_relative_to(sys.prefix), module.__file__
    with serving(Path.cwd(), [str(BIN / "server")], {"ENABLE_WEB_INTERFACE": "true"}) as url:
        plays(url)
        page(url)
        auto(url)
    inference()
    from_env(clone)


def plays(url: str) -> None:
    """Play a whole episode in each way against the server."""
    with claim("`server` serves, and the frames of an episode are the game's"):
        frames, state = over_a_bare_socket(url)
        check_frames(frames)
    with claim(f"typed client, blocking: an episode of {len(frames) - 1} steps, each field as it was sent"):
        check_seen(seen_blocking(url), frames, state)
    with claim("typed client, async: the same"):
        check_seen(asyncio.run(seen_async(url)), frames, state)
    with claim("OpenEnv's GenericEnvClient: dict in, dict out, the same episode"):
        with GenericEnvClient(base_url=url).sync() as env:
            results = [env.reset(**RESET._asdict()), *(env.step(move._asdict()) for move in moves())]
        assert [result.observation for result in results] == [frame["observation"] for frame in frames]
        assert [(result.reward, result.done) for result in results] == [
            (frame["reward"], frame["done"]) for frame in frames
        ]


def page(url: str) -> None:
    """Look at the page for people, whose template is a file of the package."""
    with claim("the page for people is served"):
        answer = httpx.get(url, headers={"Accept": "text/html"}, timeout=60, trust_env=False)
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith("text/html")
        assert answer.text.rstrip().endswith("</html>")


def auto(url: str) -> None:
    """Find the package by its names, as OpenEnv's discovery does."""
    with claim(f"AutoEnv and AutoAction find our classes by {', '.join(NAMES)}"):
        for name in NAMES:
            assert AutoEnv.get_env_class(name) is QuantumCircuitEnv
            assert AutoAction.from_env(name) is QuantumCircuitAction
        told = AutoEnv.get_env_info("quantum-circuit")
        assert (told["name"], told["package"]) == ("quantum_circuit_env", "openenv-quantum-circuit-env")
        assert (told["spec_version"], told["observation_class"]) == (1, "QuantumCircuitObservation")
    with claim("AutoEnv.from_env(name, base_url=…) plays"):
        env = AutoEnv.from_env("quantum-circuit", base_url=url)
        assert type(env) is QuantumCircuitEnv
        _one_step(env.sync())
        assert type(AutoEnv.from_env("quantum-circuit", base_url=url, skip_install=True)) is GenericEnvClient


def inference() -> None:
    """Run the baseline without a key, which starts a server of its own."""
    with claim("`python -m quantum_circuit_env.inference` plays an episode on a server that it starts"):
        ended = subprocess.run(
            [sys.executable, "-m", "quantum_circuit_env.inference", "--tasks", "easy", "--seeds", "1"],
            env={name: value for name, value in os.environ.items() if name not in {*KEYS, "ENV_BASE_URL"}},
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        lines = ended.stdout.splitlines()
        assert ended.returncode == 0, ended.stderr
        assert lines[0].startswith("[START] task=easy"), ended.stdout
        assert lines[-1].startswith("[END] success="), ended.stdout


def from_env(clone: Path) -> None:
    """Let OpenEnv serve the clone by `uv run`, whatever the folder."""
    assert shutil.which("uv"), "uv is not on the path"
    options: dict[str, Any] = {
        "use_docker": False,
        "project_path": clone,
        "env_vars": {"UVICORN_LOG_LEVEL": "warning", "UV_NO_PROGRESS": "1"},
    }
    with claim("from_env(use_docker=False, project_path=…).sync() serves a clone and plays"):
        _one_step(QuantumCircuitEnv.from_env("quantum-circuit", **options).sync())
    with claim("await from_env(…), the same"):
        asyncio.run(_one_step_awaited(lambda: QuantumCircuitEnv.from_env("quantum-circuit", **options)))


def _one_step(env: Any) -> None:
    with env:
        assert env.reset(task="easy", seed=1).observation.gate_count == 20
        assert env.step(QuantumCircuitAction(target_index=10_000, action_type=1)).reward == -0.1


async def _one_step_awaited(start: Callable[[], Any]) -> None:
    async with await start() as env:
        assert (await env.reset(task="easy", seed=1)).observation.gate_count == 20
        assert (await env.step(QuantumCircuitAction(target_index=10_000, action_type=1))).reward == -0.1


if __name__ == "__main__":
    main(Path(sys.argv[1]))
