"""How hypothesis runs in this suite: the same examples every time, no clock, no files.

With `--hypothesis-profile=new` it draws new ones every time, which is how to look for more than is known.
"""

from hypothesis import settings

settings.register_profile("suite", derandomize=True, deadline=None, database=None, max_examples=60)
settings.register_profile("new", settings.get_profile("suite"), derandomize=False)
settings.load_profile("suite")
