"""Measures what README's section on speed says, and writes its tables anew.

    uv run python benchmarks/tables.py [--only NAME]

Takes minutes; the machine should have nothing else to do. README is written when all has been measured.
"""

import argparse
import os
import platform
import sys
from importlib import import_module
from pathlib import Path
from typing import Final

from quantum_circuit_env.evals.blocks import BlockError, replace_blocks, rewrite

README: Final = Path(__file__).parents[1] / "README.md"
BENCHMARKS: Final = ("together", "in_process", "batched", "growth", "startup", "websocket", "plans")


def machine() -> str:
    """Return a line about the machine and the Python that measure."""
    cores = len(os.sched_getaffinity(0))
    return f"{cores} cores of {_processor()}, Python {platform.python_version()}, {platform.system()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


def block(name: str) -> str:
    """Run a benchmark and return what its block says."""
    print(f"{name} …", flush=True)
    report: str = import_module(name).report()
    print(report, flush=True)
    return f"`uv run python benchmarks/{name}.py` on {machine()}:\n\n{report}"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description="Measure, and write README's tables of speed anew.")
    parser.add_argument("--only", choices=BENCHMARKS, help="one table and not all")
    only = parser.parse_args().only
    names = BENCHMARKS if only is None else (only,)
    try:
        # Before anything is measured, since that takes minutes.
        replace_blocks(README.read_text(encoding="utf-8"), dict.fromkeys(names, ""))
        rewrite(README, {name: block(name) for name in names})
    except BlockError as error:
        sys.exit(f"error: {README.name}: {error}")


if __name__ == "__main__":
    main()
