import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import close_old_connections

Result = TypeVar("Result")


class SqlThreads:
    """Where the event loop has its questions to SQL answered: at most `most` at once."""

    def __init__(self, most: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(most, thread_name_prefix=name)

    async def ask(self, act: Callable[..., Result], *arguments: object) -> Result:
        """What `act(*arguments)` says in a thread."""
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, _run_and_release, act, *arguments
        )


def _run_and_release(act: Callable[..., Result], *arguments: object) -> Result:
    """As at a request's end, a connection that is too old is given back."""
    try:
        return act(*arguments)
    finally:
        close_old_connections()
