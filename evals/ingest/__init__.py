"""Per-sample results of other suites, read from local files into one kind of record."""
