"""The pytest plugin: recordings as test items, and the `recording` fixture."""
