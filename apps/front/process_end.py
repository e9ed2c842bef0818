"""What a process still does when it ends: at Python's normal exit, and at the SIGTERM by which uvicorn ends.

    process_end.register(access_log.close)
    process_end.run_at_sigterm()         # in a process of uvicorn

uvicorn answers what it has begun and then ends by the signal, without the exit that `atexit` waits for.
"""

import atexit
import logging
import os
import signal
from collections.abc import Callable
from types import FrameType

_actions: list[Callable[[], object]] = []
log = logging.getLogger(__name__)


def register(action: Callable[[], object]) -> None:
    """Call the action once when this process ends, before those that are registered already."""
    _actions.append(action)


def run_at_sigterm() -> None:
    """Do it at SIGTERM too, and then end by it; a handler of the process's own stays."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _run_and_end)


def _run_and_end(number: int, _frame: FrameType | None) -> None:
    run()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def run() -> None:
    """Do now what is registered; one that fails is logged and keeps no other from being done."""
    while _actions:
        try:
            _actions.pop()()
        except Exception:  # each is for itself, and the process ends anyway
            log.exception("not everything was done at the end of the process")


# A forked child's end is not its parent's.
os.register_at_fork(after_in_child=_actions.clear)
atexit.register(run)
