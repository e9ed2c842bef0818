"""Runs a step in a process that dies at its commit: just before it, or before what follows it."""

import os
import traceback
from collections.abc import Callable
from typing import Any, NoReturn
from unittest import mock

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from apps.redis_kit import client

DIED, FINISHED, FAILED = 75, 0, 1


def before_commit(act: Callable[[], object]) -> None:
    """Run `act` in a process that ends without a word when its outermost transaction would commit."""
    assert _run(act, "_commit", _die) == DIED, "it never came to a commit"


def after_commit(act: Callable[[], object], *, passages: int = 1) -> None:
    """Run `act` in a process that ends without a word after a commit, before anything that follows it.

    With `passages` it ends after the commit of that number among those that something follows.
    """
    run_hooks = BaseDatabaseWrapper.run_and_clear_commit_hooks
    left = passages

    def die_or_run(self: Any) -> None:
        nonlocal left
        if self.run_on_commit:
            left -= 1
            if not left:
                _die()
        run_hooks(self)

    assert _run(act, "run_and_clear_commit_hooks", die_or_run) == DIED, "nothing follows a commit"


def _run(act: Callable[[], object], method: str, replacement: Callable[..., object]) -> int:
    # Two processes must not share a connection: each would read the other's answers.
    connections.close_all()
    client.close_all()
    child = os.fork()
    if not child:
        try:
            with mock.patch.object(BaseDatabaseWrapper, method, replacement):
                act()
        except BaseException:
            traceback.print_exc()
            os._exit(FAILED)
        os._exit(FINISHED)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _die(*_: object) -> NoReturn:
    os._exit(DIED)
