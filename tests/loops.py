"""Playwright's event loop: it runs in the thread of the tests, and only tests of a browser shall meet it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

#: Playwright's loop while no test drives a browser: not ended, only out of asyncio's sight.
_hidden: list[asyncio.AbstractEventLoop] = []


@contextmanager
def driving() -> Iterator[None]:
    """Playwright may be called inside, and SQL beside it; afterwards no loop runs, as asyncio sees it.

    Between two calls Playwright leaves its loop marked as this thread's running one, until the browser is
    closed: asyncio.run refuses to start then, and Django takes all that follows for async code.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        if _hidden:
            asyncio._set_running_loop(_hidden.pop())
        try:
            yield
        finally:
            if running := asyncio._get_running_loop():
                _hidden.append(running)
                asyncio._set_running_loop(None)
