"""Write `runtime.json` and `canaries.jsonl` anew, from the game's own code.

python validation/make.py
"""

import json
from pathlib import Path

from quantum_circuit_env.evals.trajectories import canaries, runtime_plan

FOLDER = Path(__file__).parent


def files() -> dict[Path, str]:
    """Return what each file holds."""
    return {
        FOLDER / "runtime.json": json.dumps(runtime_plan(), indent=2) + "\n",
        FOLDER / "canaries.jsonl": "".join(f"{canary.line()}\n" for canary in canaries()),
    }


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
