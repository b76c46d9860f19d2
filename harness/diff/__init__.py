"""Runs side by side: what they did, step by step, and what many of them show."""
