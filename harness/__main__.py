"""`python -m harness`: the `harness` command of this Python."""

from harness.cli import main

main()
