"""Blocks: arrays of gate codes with one circuit a column and one place of the lists a row.

Every operation runs along many circuits. Choices are made with masks of bits, which takes a twentieth of the
time of NumPy's `where`.
"""

from typing import Any

import numpy as np

from qrewrite.batch.codes import Array, Codes
from qrewrite.rules import CANCEL


def all_bits(chosen: Array, dtype: Any) -> Array:
    """Return all bits of `dtype` where chosen, else 0."""
    bits: Array = np.negative(chosen.astype(dtype))
    return bits


def with_exchanged(window: Array) -> Array:
    """Return a window of places around a gate with that gate, the third, and the fourth exchanged."""
    return window[[0, 1, 3, 2, *range(4, len(window))]]


def reduced(block: Array, places: Array, action_types: Array, codes: Codes) -> Array:
    """Return the lists after rules that remove two gates have been applied where they match.

    Args:
        block: the lists, shape (places, circuits), the last two places empty; changed by the call.
        places: where in each list the rule is applied, shape (circuits,).
        action_types: which rule it is, shape (circuits,).
        codes: what the gate codes mean.
    """
    columns = np.arange(block.shape[1])
    rows = np.arange(len(block), dtype=np.min_scalar_type(len(block)))[:, None]
    places = places.astype(rows.dtype)
    outer = block[places, columns]
    # What cancels a gate and what ends its triple are found alike: the next gate of the same code.
    elsewhere = all_bits((block != outer) | (rows <= places), rows.dtype)
    second = (rows | elsewhere).min(axis=0)
    block[places, columns] = codes.products.take(outer)
    first = places + (action_types != CANCEL.action_type)
    return _without(block, rows[:-2], first, second, codes)


def _without(block: Array, rows: Array, first: Array, second: Array, codes: Codes) -> Array:
    """Return the lists without the gates at two places, first before second."""
    made = np.full_like(block, codes.none)
    kept = made[:-2]
    kept[:] = block[2:]
    for shift, place in ((1, second - 1), (0, first)):
        before = all_bits(rows < place, block.dtype)
        kept ^= (kept ^ block[shift : shift - 2]) & before
    return made
