"""What a run can be judged by: one class a check, built in or from another package. See docs/checks.md."""
