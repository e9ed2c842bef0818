"""The owner of a lock: the running task, or else the thread, by a random id that no other process has."""

import asyncio
import os
import secrets
import threading
from weakref import WeakKeyDictionary

_thread = threading.local()
_tasks: WeakKeyDictionary["asyncio.Task[object]", str] = WeakKeyDictionary()


def current_owner() -> str:
    """The owner id of the running task or thread; a fork has another."""
    task = _running_task()
    if task:
        return _tasks.setdefault(task, secrets.token_hex(8))
    if getattr(_thread, "pid", None) != os.getpid():
        _thread.pid, _thread.id = os.getpid(), secrets.token_hex(8)
    return str(_thread.id)


def _running_task() -> "asyncio.Task[object] | None":
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
