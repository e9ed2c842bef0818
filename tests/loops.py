"""Hides Playwright's event loop, which runs in the tests' thread, from tests that don't drive a browser."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connections

#: Playwright's loop while no test drives a browser: still alive, but asyncio doesn't see it.
_hidden: list[asyncio.AbstractEventLoop] = []


@contextmanager
def driving() -> Iterator[None]:
    """Allow Playwright calls, and SQL beside them, inside the block; hide Playwright's loop after it.

    Between two calls Playwright leaves its loop marked as this thread's running one, until the browser is
    closed. asyncio.run would refuse to start then, and Django would take all that follows for async code.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        if _hidden:
            asyncio._set_running_loop(_hidden.pop())
        try:
            yield
        finally:
            if running := asyncio._get_running_loop():
                _forget_sql_connections()
                _hidden.append(running)
                asyncio._set_running_loop(None)


def _forget_sql_connections() -> None:
    """Close what SQL was read by beside the loop.

    Django keeps such connections apart from those of code without a loop, and every later asyncio.run here
    would find them open: in a loop they may not even be asked whether they are still good.
    """
    for connection in connections.all(initialized_only=True):
        connection.close()
        # An SQLite database in memory stays open otherwise.
        del connections[connection.alias]
