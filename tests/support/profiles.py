"""How hypothesis runs in this suite: the same examples every time, no clock, no files."""

from hypothesis import settings

settings.register_profile("suite", derandomize=True, deadline=None, database=None, max_examples=60)
settings.load_profile("suite")
