"""Suites: recordings with expectations, in TOML files beside them (docs/suites.md)."""
