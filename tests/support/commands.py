"""The command line as the tests run it: in this process."""

import sys
from pathlib import Path

import pytest

from quantum_circuit_env.cli import main


def run_wide(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> int:
    """Run `quantum-circuit-env` on a terminal of 200 columns and return its exit status."""
    monkeypatch.setattr(sys, "argv", ["quantum-circuit-env", *map(str, arguments)])
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)
