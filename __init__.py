"""Quantum Circuit Optimizer: an OpenEnv environment, its typed client and its baseline."""
