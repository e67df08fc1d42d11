"""Optional libraries: found, or asked for in one line."""

from quantum_circuit_env.evals.stats.extras import MissingExtraError, require

__all__ = ["MissingExtraError", "require"]
