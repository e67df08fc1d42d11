"""What belongs to the distribution: the packages' own files and the data that they carry."""

import tomllib
from pathlib import Path

ROOTS = {"quantum_circuit_env": "", "qrewrite": "src/qrewrite"}
"""Where the two packages lie in the repository."""

SHELL = ("agents", "evals", "gymnasium_envs", "server")
"""The folders of the repository's root that are packages."""

CARRIED = ("openenv.yaml", "README.md", "py.typed")
"""The files of the repository's root, beside its modules, that the package carries."""


def package_folders(root: Path) -> set[str]:
    """Return the names of all packages that lie on disk."""
    inside = {"quantum_circuit_env": [root / name for name in SHELL], "qrewrite": [root / ROOTS["qrewrite"]]}
    names = {"quantum_circuit_env"}
    for package, folders in inside.items():
        base = root / ROOTS[package]
        for folder in folders:
            for found in [folder, *folder.rglob("*")]:
                if any(found.glob("*.py")):
                    names.add(".".join([package, *found.relative_to(base).parts]))
    return names


def listed_packages(root: Path) -> list[str]:
    """Return the packages that pyproject.toml names."""
    listed = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    assert isinstance(listed, list)
    return listed


def wheel_files(root: Path) -> dict[str, str]:
    """Return the files that the wheel must have, each with its path below `root`, which has no others."""
    own = [*root.glob("*.py"), *(root / name for name in CARRIED)]
    for name in SHELL:
        own += [file for file in (root / name).rglob("*") if file.is_file()]
    files = {f"quantum_circuit_env/{file.relative_to(root)}": str(file.relative_to(root)) for file in own}
    source = root / "src"
    game = [file for file in (source / "qrewrite").rglob("*") if file.is_file()]
    return files | {str(file.relative_to(source)): str(file.relative_to(root)) for file in game}
