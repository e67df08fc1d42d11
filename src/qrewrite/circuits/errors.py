"""What the library raises when its caller is wrong; an agent's illegal action is never one of these.

GameError
├── CircuitError   a gate or circuit outside the alphabet and its limits
├── DrawingError   a drawing that cannot be as small as is asked
└── TaskError      a task or a seed that does not exist
    └── SplitError   a split, or an index in one, that does not exist; an IndexError too
"""


class GameError(ValueError):
    """Root of what the library raises on purpose; anything else that escapes it is a bug."""


class CircuitError(GameError):
    """Raised for a gate or a circuit that is not one of ours; says what was wrong and what is allowed."""


class DrawingError(GameError):
    """Raised for a drawing narrower than any can be; says the least that is allowed."""


class TaskError(GameError):
    """Raised for an unknown task and for a seed out of range."""


class SplitError(TaskError, IndexError):
    """Raised for an unknown split and for an index outside a split."""


def shown(value: object) -> str:
    """Return a value for a message, cut so that the message stays short whatever a caller has sent."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # integers of thousands of digits, lists nested as deep
        text = f"a huge {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:60]}…"
