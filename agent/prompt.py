"""The built-in agent's own system prompt, for when the user gives none."""

from __future__ import annotations

from datetime import date
from pathlib import Path

_ABOUT_MODE = {
    "PLAN": "You can read and search the files but not change them. Answer, or propose what should be done.",
    "FIX": "You can read, write and edit files, but not run commands. Make the smallest change that does the job.",
    "BUILD": "You can read, write and edit files and run shell commands. Check your work by running it.",
    "SWE": "You can read, write and edit files and run shell commands. Find the cause, mend it, and run the tests.",
}

_BEGIN = "You are a careful software engineer at work in the folder "
_END = "Use the tools instead of guessing what files hold. Say plainly what you could not find out or do."


def system_prompt(mode: str, root: Path, today: date) -> str:
    """A short prompt that says where the agent is and what it may do."""
    return f"{_BEGIN}{root}. Today is {today.isoformat()}.\n{_ABOUT_MODE[mode]}\n{_END}"


def is_system_prompt(text: str) -> bool:
    """Whether a prompt is this one, for whatever folder, day and mode."""
    return text.startswith(_BEGIN) and text.endswith(_END)
