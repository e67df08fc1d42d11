"""Exact optima of circuits."""
