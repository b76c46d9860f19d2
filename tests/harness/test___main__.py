from __future__ import annotations

import subprocess
import sys


def test_the_package_runs_as_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "harness", "--version"], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.startswith("harness 0.")
    done = subprocess.run(
        [sys.executable, "-m", "harness", "shwo"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert done.stderr.startswith("python -m harness: No such command 'shwo'")
