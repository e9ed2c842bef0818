"""Runs functions that use SQL in a few threads, for code in the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import close_old_connections

Result = TypeVar("Result")


class SqlThreads:
    """A pool of at most `max_threads` threads, each with Django's connection to SQL."""

    def __init__(self, max_threads: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(max_threads, thread_name_prefix=name)

    async def run(self, function: Callable[..., Result], *arguments: object) -> Result:
        """The result of `function(*arguments)`, run in a thread."""
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, _run_and_release, function, *arguments
        )


def _run_and_release(function: Callable[..., Result], *arguments: object) -> Result:
    """Close a connection that has become too old, as Django does at a request's end."""
    try:
        return function(*arguments)
    finally:
        close_old_connections()
