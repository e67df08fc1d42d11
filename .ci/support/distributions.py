"""Look into the sdist and the wheel in DIST, built from the sources of which CLONE is a copy.

Run as `distributions.py DIST CLONE`.
"""

import sys
import tarfile
import zipfile
from pathlib import Path

from packaging.metadata import Metadata

from claims import claim
from support.distribution import wheel_files

LICENSE_FILE = "openenv_quantum_circuit_env-{}.dist-info/licenses/LICENSE"
SDIST_ONLY = {"PKG-INFO", "LICENSE", "pyproject.toml", "setup.cfg"}


def main(dist: Path, clone: Path) -> None:
    """Compare what is in them with what there is."""
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    wanted = wheel_files(clone)
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        about = next(name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = Metadata.from_email(archive.read(about), validate=True)
    with claim(f"the wheel has the packages' {len(wanted)} files, data included, and nothing else"):
        packed = {name for name in names if ".dist-info/" not in name}
        assert packed == wanted.keys(), f"missing or too much: {sorted(packed ^ wanted.keys())}"
    with claim("the sdist has the same files where the clone has them, and what a build needs"):
        with tarfile.open(sdist) as archive:
            members = {
                name.partition("/")[2] for name in archive.getnames() if not archive.getmember(name).isdir()
            }
        members = {name for name in members if ".egg-info/" not in name}
        assert members == {*wanted.values(), *SDIST_ONLY}, members ^ {*wanted.values(), *SDIST_ONLY}
    with claim("the metadata is valid, with licence, README and commands"):
        assert metadata.license_expression == "MIT"
        assert LICENSE_FILE.format(metadata.version) in names
        assert metadata.description_content_type == "text/markdown"
        assert (metadata.description or "").strip() == (clone / "README.md").read_text().strip()
        assert metadata.summary
        assert str(metadata.requires_python) in {">=3.11,<3.14", "<3.14,>=3.11"}
        assert not metadata.project_urls, "no address of the project is known"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
