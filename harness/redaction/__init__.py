"""Secrets: kept out while recording, found by `scan`, taken out by `scrub`."""
