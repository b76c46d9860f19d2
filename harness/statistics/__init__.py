"""What repeated runs show: intervals, paired tests, corrections and sample sizes. Pure; every formula names its source.

Two things to compare are the `first` (the baseline) and the `second`. Differences are second minus first, ratios second
over first. Data come as one list a task, in the same task order on both sides, each holding the task's repeats.
Unknown is None and is counted, never read as a failure or as 0.
"""
