"""`harness.record` and `harness.replay`: clients that record or replay, in every mode."""
