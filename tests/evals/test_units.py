"""Units: their identity alone decides their randomness."""

from dataclasses import replace
from random import Random

from quantum_circuit_env.evals.units import Unit

UNIT = Unit("1.0.0+abc", "random-legal", "easy", 3_000_000, 0)


def test_equal_units_draw_the_same_and_every_other_unit_something_else() -> None:
    others = (
        replace(UNIT, revision="1.0.1+abc"),
        replace(UNIT, agent="uniform"),
        replace(UNIT, tier="hard"),
        replace(UNIT, seed=3_000_001),
        replace(UNIT, sample=1),
        Unit("1.0.0+abc", "random-legal", "easy", 3_000_00, 10),  # no border between fields can be missed
    )
    draws = [unit.rng().random() for unit in (UNIT, replace(UNIT), *others)]
    assert draws[0] == draws[1]
    assert len(set(draws)) == len(draws) - 1


def test_the_stream_is_frozen() -> None:
    assert UNIT.key == '["1.0.0+abc", "random-legal", "easy", 3000000, 0]'
    # SHA-256 of the key, from `printf '%s' KEY | sha256sum`, is the seed.
    digest = "357f55f169f55c034b00d71b5a70b7892e51cdbc2aad10a219735f53144132fc"
    assert UNIT.rng().random() == Random(int(digest, 16)).random()
