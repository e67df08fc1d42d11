"""Members of a zip of others, deflated or compressed with Zstandard.

Method 93 (APPNOTE.TXT 6.3.10, 4.4.5) is unknown to `zipfile` before Python 3.14, so its members are found
with `zipfile` and decompressed by pyarrow.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Final

from quantum_circuit_env.evals.ingest.errors import IngestError
from quantum_circuit_env.evals.ingest.fields import LARGEST_FILE, Source
from quantum_circuit_env.evals.stats.extras import require

_ZSTANDARD: Final = 93
_ENCRYPTED: Final = 0x1
_LOCAL_HEADER: Final = struct.Struct("<26xHH")
"""What stands before a member's bytes; the two numbers are the lengths of what follows it (4.3.7)."""


def members(source: Source, wanted: Callable[[str], bool]) -> Iterator[Source]:
    """Yield the wanted files of a zip, named `zip:member`, in the order of their names.

    Raises:
        IngestError: for what is no zip, a damaged or encrypted member, or one that is too large.
        MissingExtraError: for Zstandard without pyarrow.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            for info in sorted(archive.infolist(), key=lambda info: info.filename):
                if not wanted(info.filename):
                    continue
                name = f"{source.name}:{info.filename}"
                if info.file_size > LARGEST_FILE:
                    raise IngestError(name, "", f"is too large, at most {LARGEST_FILE} bytes are read")
                zstandard = info.compress_type == _ZSTANDARD
                data = _zstandard(source, info) if zstandard else archive.read(info)
                yield Source(source.path, name, data)
    # A RuntimeError is what an encrypted member raises.
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise IngestError(source.name, "", f"is no .eval file that can be read: {error}") from None


def _zstandard(source: Source, info: zipfile.ZipInfo) -> bytes:
    if info.flag_bits & _ENCRYPTED:
        raise zipfile.BadZipFile(f"{info.filename} is encrypted")
    arrow: Any = require("pyarrow", extra="eval")
    start = info.header_offset + _LOCAL_HEADER.size
    start += sum(_LOCAL_HEADER.unpack_from(source.data, info.header_offset))
    packed = source.data[start : start + info.compress_size]
    try:
        # One byte more than there ought to be tells of a size that was a lie without reading it all.
        with arrow.CompressedInputStream(arrow.BufferReader(packed), "zstd") as stream:
            data: bytes = stream.read(info.file_size + 1)
    except (arrow.ArrowException, OSError) as error:
        raise zipfile.BadZipFile(f"{info.filename}: {error}") from None
    if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile(f"{info.filename} is damaged")
    return data
