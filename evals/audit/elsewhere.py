"""The game and the graders in other processes: other hash seeds, other Pythons, no world around."""

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import qrewrite
from quantum_circuit_env.evals.audit.probe import AuditError

MINORS: Final = (11, 12, 13)
"""Minor versions of Python 3 that the package supports."""

TRACED: Final = 40
"""Steps of a trace."""

_TRACES: Final = """
import sys
from hashlib import sha256
sys.path.insert(0, sys.argv[1])
from qrewrite.game import Episode
from qrewrite.tasks import TIERS, generate

def trace(tier, seed, steps):
    episode = Episode(generate(tier, seed), par=TIERS[tier].par)
    yield str(episode.circuit())
    for step in range(steps):
        if episode.done:
            break
        reward = episode.play(1 + step % 4, 7 * step % (episode.gate_count + 1))
        yield f"{reward!r} {episode.action_result.value} {episode.gate_count}"
    yield str(episode.circuit())

for tier in TIERS:
    for seed in sys.argv[3:]:
        told = "\\n".join(trace(tier, int(seed), int(sys.argv[2])))
        print(sha256(told.encode()).hexdigest()[:16])
"""

# Clocks and sockets refuse before the graders are imported, so that they cannot keep the real ones either.
_GRADES: Final = """
import json, socket, sys, time

def refuse(*_, **__):
    raise RuntimeError("the outside is asked")

def hook(event, _):
    if event.startswith(("socket.", "subprocess.", "os.system", "urllib.")):
        refuse()

for name in ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"):
    setattr(time, name, refuse)
sys.addaudithook(hook)
from quantum_circuit_env.server.graders import GRADERS
print(json.dumps({tier: GRADERS[tier](episode) for tier, episode in json.loads(sys.argv[1]).items()}))
"""


def traces_elsewhere(
    seeds: Sequence[int], *, hash_seed: str = "0", python: str = sys.executable
) -> list[str]:
    """Return the digests of the seeds' traces, tier by tier, as another process plays them."""
    return list(_traces(tuple(seeds), hash_seed, python))


@cache
def _traces(seeds: tuple[int, ...], hash_seed: str, python: str) -> tuple[str, ...]:
    folder = str(Path(qrewrite.__file__).parents[1])
    command = (python, "-c", _TRACES, folder, str(TRACED), *map(str, seeds))
    return tuple(_output(command, {"PYTHONHASHSEED": hash_seed}).split())


@cache
def cut_off_grades(episodes: str) -> dict[str, float]:
    """Return the graders' grades of episodes, JSON by tier, in a process that is cut off from the world."""
    grades: dict[str, float] = json.loads(_output((sys.executable, "-c", _GRADES, episodes), {}))
    return grades


@cache
def other_pythons() -> Mapping[str, str]:
    """Return version → executable of the other Pythons on PATH and of pyenv that the package supports."""
    found: dict[str, str] = {}
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for minor in MINORS:
        installed = sorted((root / "versions").glob(f"3.{minor}.*/bin/python"))
        for command in (shutil.which(f"python3.{minor}"), *map(str, installed)):
            version, executable = _python(command) if command else ("", "")
            if version and version != platform.python_version():
                found.setdefault(version, executable)
    return found


def _python(command: str) -> tuple[str, str]:
    """Return version and executable of a Python, itself where `command` is a stand-in of pyenv's.

    Both are empty if it does not run, as stand-ins need not.
    """
    code = "import platform, sys; print(platform.python_version(), sys.executable)"
    done = subprocess.run([command, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
    version, _, executable = ("" if done.returncode else done.stdout.strip()).partition(" ")
    return version, executable


def _output(command: Sequence[str], variables: Mapping[str, str]) -> str:
    """Return what a process with these variables and no others prints; AuditError if it fails."""
    done = subprocess.run(  # noqa: S603
        command, env=dict(variables), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise AuditError(f"{command[0]} fails: {done.stderr.strip()[-200:]}")
    return done.stdout
