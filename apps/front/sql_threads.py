"""Runs functions that use SQL in a few threads, for code in the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from typing import Protocol, TypeVar, runtime_checkable

from django.db import close_old_connections

from apps.redis_kit import observers
from apps.redis_kit.observers import Callers

Result = TypeVar("Result")


@runtime_checkable
class RecordsSql(Protocol):
    """A caller's request that records what it asks of SQL."""

    def recording_statements(self) -> AbstractContextManager[object]:
        """Record the statements of this thread in the `with` block."""


class SqlThreads:
    """A pool of at most `max_threads` threads, each with Django's connection to SQL."""

    def __init__(self, max_threads: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(max_threads, thread_name_prefix=name)

    async def run(self, function: Callable[..., Result], *arguments: object) -> Result:
        """The result of `function(*arguments)`, run in a thread."""
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, _run_and_release, observers.current_callers.get(), function, *arguments
        )


def _run_and_release(callers: Callers, function: Callable[..., Result], *arguments: object) -> Result:
    """Close a connection that has become too old, as Django does at a request's end."""
    try:
        if not callers.requests:
            return function(*arguments)
        with ExitStack() as around:
            around.enter_context(observers.calling_for(callers))
            for request in callers.requests:
                if isinstance(request, RecordsSql):
                    around.enter_context(request.recording_statements())
            return function(*arguments)
    finally:
        close_old_connections()
