"""Quantum Circuit Optimizer: an OpenEnv environment, its typed client and its baseline."""

from importlib import import_module

_HOME = {
    "QuantumCircuitAction": "models",
    "QuantumCircuitEnv": "client",
    "QuantumCircuitObservation": "models",
    "QuantumCircuitState": "models",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    # Importing OpenEnv costs seconds, so nothing is imported before it is asked for.
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
