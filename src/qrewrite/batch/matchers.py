"""What the rules' matchers answer, for whole arrays of circuits at once.

They take blocks (`qrewrite.batch.blocks`). The suite holds these answers against those of
`qrewrite.rules`, gate by gate.
"""

from typing import NamedTuple

import numpy as np

from qrewrite.batch.codes import Array, Codes
from qrewrite.rules import CANCEL, SWAP


class Block(NamedTuple):
    """A block of codes, shape (places, circuits), and what the table says of each gate, looked up once."""

    gates: Array
    masks: Array
    middles: Array

    @classmethod
    def of(cls, gates: Array, codes: Codes) -> "Block":
        """Look up the gates of a block."""
        return cls(gates, codes.masks.take(gates), codes.middles.take(gates))

    def places(self, first: int, end: int | None) -> "Block":
        """Return some of the places."""
        return Block(self.gates[first:end], self.masks[first:end], self.middles[first:end])


def list_matches(block: Block, codes: Codes) -> Array:
    """Return which rules that ask for list neighbours match: `SWAP` and the identities.

    Args:
        block: the circuits; its last two places only serve as neighbours.
        codes: what the gate codes mean.

    Returns:
        Bits of the rules, shape (places - 2, circuits), uint8.
    """
    gates, masks, middles = block
    bits: Array = ((masks[:-2] & masks[1:-1]) == 0) * np.uint8(SWAP.bit)
    triples = np.flatnonzero((middles[:-2] == gates[1:-1]) & (gates[:-2] == gates[2:]))
    bits.ravel()[triples] |= codes.identity_bits.take(gates[:-2].ravel().take(triples))
    return bits


class WireMatches(NamedTuple):
    """Where gates cancel, as bits of shape (places, circuits), and which circuits can be reduced at all."""

    bits: Array
    reducible: Array


def wire_matches(block: Block, codes: Codes) -> WireMatches:
    """Return where `CANCEL` matches, and whether any gate cancels or begins an identity after swaps.

    Args:
        block: the circuits.
        codes: what the gate codes mean.
    """
    gates = block.gates
    followers, places = _followers(block, codes)
    cancels = (followers == gates) & (gates != codes.none)
    reducible = cancels.any(axis=0)
    # Few gates have the right middle behind them, so the third gate is looked up for those alone.
    begin = np.flatnonzero(followers == block.middles)
    column = begin % gates.shape[1]
    middle = places.ravel().take(begin).astype(np.intp) * gates.shape[1] + column
    complete = followers.ravel().take(middle) == gates.ravel().take(begin)
    reducible[column[complete]] = True
    return WireMatches(cancels.view(np.uint8) * np.uint8(CANCEL.bit), reducible)


def _followers(block: Block, codes: Codes) -> tuple[Array, Array]:
    """Return code and place of the next later gate that shares any qubit with each gate; `none` if none does.

    If that gate acts on the same qubits it comes next on all of their wires.

    A place and its code are packed into one number, the place in front: the smallest such number from a
    place on then is the next gate on a wire, wherever it stands. All bits stand for no gate, so that `|` with
    a mask leaves gates out.
    """
    places, circuits = block.gates.shape
    shift = (codes.none + 1).bit_length()
    dtype = np.min_scalar_type((places + 1) << shift)
    packed = (np.arange(places, dtype=dtype) << dtype.type(shift))[:, None] | block.gates
    absent = codes.absent(block.masks, dtype)
    coming = np.empty((places + 1, codes.num_qubits, circuits), dtype)
    np.bitwise_or(packed[:, None], absent, out=coming[:-1])
    coming[-1] = (places << shift) | codes.none
    for place in range(places - 1, -1, -1):
        np.minimum(coming[place], coming[place + 1], out=coming[place])
    after = coming[1:]
    first = np.bitwise_or(after, absent, out=absent).min(axis=1)
    return (first & dtype.type((1 << shift) - 1)).astype(codes.dtype), first >> dtype.type(shift)
