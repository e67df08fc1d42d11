"""The OpenEnv server of Quantum Circuit Optimizer."""
