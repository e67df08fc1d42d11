"""The package as its users meet it: cheap to import, and whole when it is installed from a wheel."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from uvicorn.importer import import_from_string

import quantum_circuit_env
from support.distribution import listed_packages, package_folders, wheel_files

ROOT = Path(__file__).parents[2]
NAMES = ["QuantumCircuitAction", "QuantumCircuitEnv", "QuantumCircuitObservation", "QuantumCircuitState"]


def test_the_package_exports_its_four_types() -> None:
    assert quantum_circuit_env.__all__ == NAMES
    assert dir(quantum_circuit_env) == NAMES
    assert [getattr(quantum_circuit_env, name).__name__ for name in NAMES] == NAMES
    with pytest.raises(AttributeError, match="no attribute 'QuantumCircuit'"):
        _ = quantum_circuit_env.QuantumCircuit


def test_importing_the_package_is_silent_and_imports_nothing_heavy() -> None:
    code = (
        "import sys, quantum_circuit_env\n"
        "heavy = {'openenv', 'pydantic', 'fastapi', 'numpy', 'qrewrite'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_the_app_is_found_from_a_checkout_as_openenv_yaml_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(ROOT))
    before = set(sys.modules)
    try:
        app = import_from_string("server.app:app")
        assert {"/", "/ws", "/mcp", "/reset", "/health"} <= {route.path for route in app.routes}
    finally:
        for name in set(sys.modules) - before:
            del sys.modules[name]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the sources, so that nothing is left behind in them."""
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not on the path")
    folder = tmp_path_factory.mktemp("wheel")
    leave = shutil.ignore_patterns(
        ".*", "tests", "build", "dist", "*.egg-info", "__pycache__", "outputs", "uv.lock"
    )
    shutil.copytree(ROOT, folder / "source", ignore=leave)
    subprocess.run([uv, "build", "--wheel", "-q", "--out-dir", folder, folder / "source"], check=True)
    (built,) = folder.glob("*.whl")
    return built


def test_an_installed_wheel_serves_plays_and_is_discovered_from_another_folder(
    wheel: Path, tmp_path: Path
) -> None:
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    script = shutil.copy(ROOT / "tests" / "support" / "installed.py", elsewhere)
    ended = subprocess.run(
        [sys.executable, script],
        cwd=elsewhere,
        env={**os.environ, "PYTHONPATH": str(site), "XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    assert all(Path(file).is_relative_to(site) for file in told["files"])
    assert told["auto"] == ["QuantumCircuitEnv", "QuantumCircuitAction"]
    assert told["same"] is True
    assert (told["gates"], told["step"]) == (20, 1)


def test_the_wheel_holds_the_packages_files_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == wheel_files(wheel.parent / "source").keys()
    data = {"quantum_circuit_env/openenv.yaml", "quantum_circuit_env/py.typed", "qrewrite/tasks/words.tsv"}
    assert data <= names


def test_each_package_on_disk_is_one_that_the_wheel_gets() -> None:
    assert sorted(listed_packages(ROOT)) == sorted(package_folders(ROOT))
