"""The audit: probes that try whether an evaluator pays for what it says, and a zoo that tries the probes."""
