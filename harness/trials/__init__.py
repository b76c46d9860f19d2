"""Live trials: the built-in agent on the tasks of suites, on several models, again and again (docs/trials.md)."""
