"""What the library raises when its caller is wrong; an agent's illegal action is never one of these.

GameError
├── CircuitError   a gate or circuit outside the alphabet and its limits
└── TaskError      a task, seed or suite instance that does not exist
"""


class GameError(ValueError):
    """Root of what the library raises on purpose; anything else that escapes it is a bug."""


class CircuitError(GameError):
    """Raised for a gate or a circuit that is not one of ours; says what was wrong and what is allowed."""


class TaskError(GameError):
    """Raised for an unknown task, a seed out of range or an index outside its split."""


def shown(value: object) -> str:
    """Return a value for a message, cut so that the message stays short whatever a caller has sent."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # integers of thousands of digits, lists nested as deep
        text = f"a huge {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:60]}…"
