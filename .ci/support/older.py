"""Use the package with openenv-core 0.3.0: `older.py SERVER`, run by the Python of a venv that has both.

SERVER is the command `server` of a venv with today's openenv.
"""

import asyncio
import json
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import httpx
from openenv import AutoEnv

from claims import claim
from episodes import check_frames, check_seen, over_a_bare_socket, seen_async, seen_blocking
from qrewrite.tasks import generate
from quantum_circuit_env import QuantumCircuitEnv
from support.servers import serving
from support.sockets import session

BIN = Path(sys.executable).parent


def main(server: str) -> None:
    """Try today's server with the older client, then the older server."""
    # It led here, and must lead nothing that is started from here.
    del os.environ["PYTHONPATH"]
    with claim("AutoEnv of 0.3.0 finds our class"):
        assert AutoEnv.get_env_class("quantum-circuit") is QuantumCircuitEnv
    with claim("this is openenv-core 0.3.0, and no openenv beside it"):
        assert version("openenv-core") == "0.3.0"
        assert _absent("openenv")
    with serving(Path.cwd(), [server]) as url:
        validated(url, "today's server")
        with claim("a bare socket's episode on today's server is the game's"):
            frames, state = over_a_bare_socket(url)
            check_frames(frames)
        with claim("our client on 0.3.0, blocking: each field of each observation as today's server sent it"):
            check_seen(seen_blocking(url), frames, state)
        with claim("our client on 0.3.0, async: the same"):
            check_seen(asyncio.run(seen_async(url)), frames, state)
    with serving(Path.cwd(), [str(BIN / "server")]) as url:
        validated(url, "our server on 0.3.0")
        described(url)
        with claim("an episode on it is the same, but that OpenEnv 0.3.0 leaves the metadata out"):
            older, its_state = over_a_bare_socket(url)
            assert older == [without_metadata(frame) for frame in frames]
            assert its_state == state
        with claim("a task by split and index on it"), session(url) as one:
            seen = one.reset(split="validation", index=0)["observation"]
            circuit = generate("easy", one.state()["seed"])
            assert seen["circuit"] == json.loads(json.dumps(circuit.records()))
        with claim("our client refuses that server's frames, and says why"):
            told = ""
            try:
                seen_blocking(url)
            except ValueError as error:
                told = str(error)
            assert "lacks 'metadata', which servers with OpenEnv before 0.10 do not send" in told, told


def without_metadata(frame: dict[str, Any]) -> dict[str, Any]:
    """Return the frame as 0.3.0 sends it."""
    fields = {name: value for name, value in frame["observation"].items() if name != "metadata"}
    return {"observation": fields, "reward": frame["reward"], "done": frame["done"]}


def validated(url: str, whose: str) -> None:
    """Let 0.3.0's validation judge a running server."""
    with claim(f"openenv validate --url of 0.3.0 passes all it asks of {whose}"):
        ended = subprocess.run(
            [BIN / "openenv", "validate", "--url", url, "--timeout", "60"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        report = json.loads(ended.stdout)
        asked = [one for one in report["criteria"] if one["required"]]
        assert report["passed"] is True
        assert len(asked) >= 6
        assert all(one["passed"] for one in asked), asked


def described(url: str) -> None:
    """Ask the server what it is."""
    with claim("our server on 0.3.0 says what it is at /metadata"):
        told = httpx.get(f"{url}/metadata", timeout=60, trust_env=False).json()
        assert told["name"] == "quantum_circuit_env", told
        assert told["version"] == version("openenv-quantum-circuit-env"), told


def _absent(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return True
    return False


if __name__ == "__main__":
    main(sys.argv[1])
