"""The commands of README.md: which there are, and where each is run as it is written.

Run as a script, it prints those that a clean clone must be able to run, one a line; needs no package:

    python tests/support/readme.py
"""

import re
import sys
from enum import Enum
from pathlib import Path
from typing import Final

README: Final = Path(__file__).parents[2] / "README.md"


class Runs(Enum):
    """Where a command is run."""

    SUITE = "in the test suite"
    CLONE = "in a clean clone, by .ci/legs/readme"
    SERVING = "in a clean clone, by .ci/legs/readme, while the command before it serves"
    ELSEWHERE = "by another leg of .ci/run, or by hand"


COMMANDS: Final[dict[str, tuple[Runs, str]]] = {
    "pip install uv && uv run python inference.py": (Runs.CLONE, "installs everything"),
    "pip install uv && uv run pytest": (Runs.ELSEWHERE, ".ci/run: these tests themselves"),
    "uv run server": (Runs.CLONE, "serves until it is ended"),
    "uv run openenv validate --url http://127.0.0.1:8000": (Runs.SERVING, "needs the server"),
    "uv run quantum-circuit-env show --task medium --seed 7 --solved --width 100": (
        Runs.SUITE,
        "prints README's picture",
    ),
    "uv run quantum-circuit-env show --task medium --seed 7 --solved --svg docs/images/medium-7.svg": (
        Runs.SUITE,
        "draws README's picture",
    ),
    "uv run quantum-circuit-env record --task medium --seed 5 --agent cancel-first": (
        Runs.CLONE,
        "prints an episode, which tests/browser open",
    ),
    "uv run quantum-circuit-env depth --seeds 2": (Runs.SUITE, "takes seconds"),
    "uv run quantum-circuit-env depth --seeds 200": (Runs.ELSEWHERE, "by hand: takes minutes"),
    "uv run python inference.py --offline --tasks easy --seeds 0-2": (Runs.SUITE, "takes seconds"),
    "OPENAI_API_KEY=… uv run python inference.py --seeds 0-9": (Runs.ELSEWHERE, "by hand: needs a key"),
    "uv run quantum-circuit-env evaluate --agent uniform --agent beam --seeds 20 --out outputs/first": (
        Runs.CLONE,
        "wants a folder without a run",
    ),
    "uv run quantum-circuit-env compare outputs/first --out outputs/first": (
        Runs.CLONE,
        "needs the run of the command before it",
    ),
    "OPENAI_API_KEY=… uv run quantum-circuit-env evaluate --agent llm:model=gpt-4o-mini "
    "--agent llm:model=gpt-4.1-mini --turns 15 --seeds 20 --out outputs/models": (
        Runs.ELSEWHERE,
        "by hand: needs a key",
    ),
    "uv run quantum-circuit-env audit --in-process": (Runs.ELSEWHERE, "by hand: takes a minute or more"),
    "docker build -t quantum-circuit-env .": (Runs.ELSEWHERE, ".ci/legs/container: needs an engine"),
    "docker run --rm -p 8000:8000 quantum-circuit-env": (
        Runs.ELSEWHERE,
        ".ci/legs/container: needs an engine",
    ),
    "IMAGE_NAME=quantum-circuit-env uv run python inference.py": (
        Runs.ELSEWHERE,
        ".ci/legs/container: needs an engine",
    ),
    "uv run openenv push --repo-id <you>/quantum_circuit_env": (Runs.ELSEWHERE, "by hand: needs a login"),
    "uv run openenv validate --level static .": (Runs.CLONE, "wants a tree that does not change"),
    "uv run openenv validate --level runtime .": (Runs.ELSEWHERE, "by hand: needs an engine"),
    ".ci/run": (Runs.ELSEWHERE, "runs these tests"),
    "uv run python benchmarks/tables.py": (Runs.ELSEWHERE, "by hand: takes minutes on an idle machine"),
}
"""Command, as README has it in a `bash` block → where it is run, and why not in the test suite."""


def commands() -> list[str]:
    """Return the commands of README's `bash` blocks, without comments, in their order."""
    text = README.read_text(encoding="utf-8")
    blocks = re.findall(r"^```bash\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = [re.sub(r"(^|\s)#.*", "", line).strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line]


if __name__ == "__main__":
    for command in commands():
        where, _ = COMMANDS[command]
        if where in (Runs.CLONE, Runs.SERVING, Runs.SUITE):
            sys.stdout.write(f"{where.name}\t{command}\n")
