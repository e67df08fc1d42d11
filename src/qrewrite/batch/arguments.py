"""Arrays from a caller, checked before anything is changed."""

import numpy as np
from numpy.typing import ArrayLike

from qrewrite.batch.codes import Array
from qrewrite.circuits import GameError
from qrewrite.rules import RULES


def action_types(values: ArrayLike, size: int) -> Array:
    """Return `size` action types, or raise a GameError that says what is allowed."""
    kinds = integers("action_type", values, size)
    if kinds.min() < 1 or kinds.max() > len(RULES):
        row = int(np.flatnonzero((kinds < 1) | (kinds > len(RULES)))[0])
        raise GameError(f"action_type must be in 1..{len(RULES)}, got {kinds[row]} for episode {row}")
    return kinds.astype(np.int64)


def integers(name: str, values: ArrayLike, size: int) -> Array:
    """Return `size` integers, or raise a GameError that says what is wrong with them."""
    array: Array = np.asarray(values)
    if array.shape != (size,) or array.dtype.kind not in "iu":
        raise GameError(
            f"{name} must be integers of shape ({size},), got {array.dtype} of shape {array.shape}"
        )
    return array


def numbers(name: str, values: ArrayLike, bound: int) -> Array:
    """Return a list of numbers in 0..bound-1, or raise a GameError that says what is wrong with it."""
    array: Array = np.atleast_1d(np.asarray(values))
    if array.ndim != 1 or (len(array) and array.dtype.kind not in "iu"):
        raise GameError(f"{name} must be a list of integers, got {array.dtype} of shape {array.shape}")
    if len(array) and not (array.min() >= 0 and array.max() < bound):
        raise GameError(f"{name} must be in 0..{bound - 1}, got {array.min()}..{array.max()}")
    return array.astype(np.int64)
