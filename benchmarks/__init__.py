"""Speed, measured: `python -m benchmarks` prints every figure of the README as a ratio of one run.

The data is made here, from a seed. Peers come with the extra `bench`; without one, its rows say so.
"""
