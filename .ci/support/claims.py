"""What a leg's script says: one line for each thing that it has tried."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def claim(text: str) -> Iterator[None]:
    """Print `ok: text` when the block ends; when it raises, `failed: text` and the error's first line."""
    try:
        yield
    except BaseException as error:
        reason = (str(error).splitlines() or [""])[0]
        print(f"failed: {text}: {type(error).__name__}: {reason}", file=sys.stderr, flush=True)
        raise
    print(f"ok: {text}", flush=True)
