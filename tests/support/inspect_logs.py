"""Logs of Inspect as the zip that it writes: `.eval`, deflated or compressed with Zstandard."""

import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

from support.samples import FIXTURES

ZSTANDARD = 93
"""Method of compression that inspect_ai 0.3.285 uses."""


def write_log(path: Path, method: int) -> None:
    """Write the log of the fixture as a zip."""
    log = json.loads((FIXTURES / "inspect" / "log.json").read_text())
    samples = log.pop("samples")
    files = {"_journal/start.json": {}, "summaries.json": [], "header.json": log}
    files |= {f"samples/{one['id']}_epoch_{one['epoch']}.json": one for one in samples}
    write_zip(path, {name: json.dumps(value).encode() for name, value in files.items()}, method)


def write_zip(path: Path, files: dict[str, bytes], method: int) -> None:
    """Write a zip; Zstandard, which `zipfile` may not know, by storing what pyarrow has compressed."""
    if method != ZSTANDARD:
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return
    import pyarrow

    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, pyarrow.compress(data, "zstd", asbytes=True))
        infos = archive.infolist()
    _tell_method(path, infos, files)


def _tell_method(path: Path, infos: list[zipfile.ZipInfo], files: dict[str, bytes]) -> None:
    """Put method, checksum and size of what was compressed into the headers."""
    written = bytearray(path.read_bytes())
    central = written.index(b"PK\x01\x02")
    for info in infos:
        data = files[info.filename]
        told: tuple[Any, ...] = (zlib.crc32(data), info.compress_size, len(data))
        struct.pack_into("<H", written, info.header_offset + 8, ZSTANDARD)
        struct.pack_into("<3I", written, info.header_offset + 14, *told)
        struct.pack_into("<H", written, central + 10, ZSTANDARD)
        struct.pack_into("<3I", written, central + 16, *told)
        central += 46 + sum(struct.unpack_from("<3H", written, central + 28))
    path.write_bytes(written)
