"""What the image installs is what pyproject.toml asks for."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
FILES = ("requirements.txt", "requirements-build.txt")


def environment(python: str, platform: str, machine: str) -> dict[str, str]:
    """What markers are told on such a machine."""
    return {
        **default_environment(),
        "python_version": python,
        "python_full_version": f"{python}.0",
        "implementation_version": f"{python}.0",
        "sys_platform": platform,
        "platform_system": platform.capitalize(),
        "platform_machine": machine,
    }


MACHINES = {
    f"{python}-{platform}-{machine}": environment(python, platform, machine)
    for python in ("3.11", "3.12", "3.13")
    for platform, machine in (("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"))
}


def entries(text: str) -> list[tuple[Requirement, frozenset[str]]]:
    """The requirements of a file, each with its hashes."""
    lines = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.M)).splitlines()
    return [
        (Requirement(line.partition("--hash")[0]), frozenset(re.findall(r"--hash=(\S+)", line)))
        for line in lines
    ]


def installed(text: str, on: dict[str, str]) -> dict[str, tuple[str, frozenset[str]]]:
    """Pinned version and hashes of each distribution that the file installs on a machine."""
    return {
        canonicalize_name(one.name): (str(one.specifier), hashes)
        for one, hashes in entries(text)
        if one.marker is None or one.marker.evaluate(on)
    }


@pytest.mark.parametrize("name", FILES)
def test_everything_is_pinned_by_version_and_hash_and_names_no_index(name: str) -> None:
    text = (ROOT / name).read_text()
    assert all(re.fullmatch(r"==[^*,]+", str(one.specifier)) and one.url is None for one, _ in entries(text))
    assert all(
        hashes and all(re.fullmatch("sha256:[0-9a-f]{64}", one) for one in hashes)
        for _, hashes in entries(text)
    )
    assert not re.search(r"^\s*-(?!-hash=)|://", text, flags=re.M)


@pytest.mark.parametrize("machine", MACHINES)
def test_each_dependency_is_there_at_a_version_that_satisfies_it(machine: str) -> None:
    pinned = installed((ROOT / "requirements.txt").read_text(), MACHINES[machine])
    for needed in map(Requirement, PROJECT["project"]["dependencies"]):
        version = pinned[canonicalize_name(needed.name)][0].removeprefix("==")
        assert needed.specifier.contains(version), needed
    assert not {"pytest", "ruff", "setuptools"} & pinned.keys()


def test_the_image_builds_with_what_build_system_requires() -> None:
    asked = PROJECT["build-system"]["requires"]
    assert PROJECT["dependency-groups"]["build"] == asked
    pinned = {one.name: str(one.specifier) for one, _ in entries((ROOT / FILES[1]).read_text())}
    for needed in map(Requirement, asked):
        assert needed.specifier.contains(pinned[needed.name].removeprefix("=="))


def test_exported_again_they_are_the_same(tmp_path: Path) -> None:
    if shutil.which("uv") is None:
        pytest.skip("uv is not on the path")
    subprocess.run([ROOT / "scripts" / "requirements", tmp_path], check=True, timeout=120)
    for name in FILES:
        kept, fresh = (ROOT / name).read_text(), (tmp_path / name).read_text()
        for on in MACHINES.values():
            assert installed(kept, on) == installed(fresh, on), f"run scripts/requirements: {name} is old"
