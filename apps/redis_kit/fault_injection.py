"""Places where a fault test can kill the process as a power cut would; elsewhere they do nothing.

CRASH_AT in the environment names a place and its passage: with "settled:3" the third call of
`point("settled")` kills the process. The environment is read once, at import.
"""

import os
import signal

#: Whether a place is armed; who is in a hurry looks here before calling `point`.
is_armed = False
_crash_place = ""
_passages_left = 0


def arm(crash_at: str) -> None:
    """Kill this process at a place and passage like "settled:3"; "" disarms."""
    global is_armed, _crash_place, _passages_left
    _crash_place, _, passage = crash_at.partition(":")
    is_armed = bool(_crash_place)
    _passages_left = int(passage or 1)


def point(name: str) -> None:
    """Die here without warning if this place is armed and its passage has come."""
    if _crash_place == name:
        _count_down()


def _count_down() -> None:
    global _passages_left
    _passages_left -= 1
    if not _passages_left:
        os.kill(os.getpid(), signal.SIGKILL)


arm(os.environ.get("CRASH_AT", ""))
