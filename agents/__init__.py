"""Who plays over a session: the built-in policies and language models, and what their play is called."""
