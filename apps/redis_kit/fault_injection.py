"""Places where a fault test can kill the process as a power cut would; elsewhere they do nothing.

CRASH_AT in the environment names a place and its passage: with "settled:3" the third call of
`point("settled")` kills the process. The environment is read once, at import, and only where the settings say
FAULT_INJECTION, which production refuses.
"""

import os
import signal

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

#: Whether a place is armed; who is in a hurry looks here before calling `point`.
is_armed = False
_crash_place = ""
_passages_left = 0


def arm(crash_at: str) -> None:
    """Kill this process at a place and passage like "settled:3"; "" disarms.

    Raises ImproperlyConfigured where the settings don't say FAULT_INJECTION.
    """
    global is_armed, _crash_place, _passages_left
    if crash_at and not settings.FAULT_INJECTION:
        raise ImproperlyConfigured("A process kills itself for tests alone: set FAULT_INJECTION=1 there.")
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


_crash_at = os.environ.get("CRASH_AT", "")
if _crash_at and settings.FAULT_INJECTION:
    arm(_crash_at)
