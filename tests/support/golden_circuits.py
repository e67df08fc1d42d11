"""Digests of the generated circuits; run as a script, it prints the golden file.

    PYTHONPATH=src python tests/support/golden_circuits.py > tests/golden/circuits.json

A digest that changes raises the game version (`qrewrite.tasks.GAME_VERSION`).
"""

import json
import sys
from hashlib import sha256

from qrewrite.tasks import GAME_VERSION, TIERS, generate

SEEDS = range(100)


def digest(task: str, seed: int) -> str:
    circuit = generate(task, seed)
    return sha256(f"{circuit.num_qubits}\n{circuit}".encode()).hexdigest()[:16]


def digests() -> dict[str, object]:
    return {"game_version": GAME_VERSION} | {task: [digest(task, seed) for seed in SEEDS] for task in TIERS}


if __name__ == "__main__":
    json.dump(digests(), sys.stdout, indent=1)
    sys.stdout.write("\n")
