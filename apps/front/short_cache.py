"""A cache of functions of header values whose memory is bounded in bytes: a forger sends 60 kB a header."""

from collections.abc import Callable
from functools import lru_cache, update_wrapper
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
#: Values of headers that are kept with what they mean: browsers send a few thousand, forgers any number.
MAX_CACHED_HEADERS = 4_096
#: Bytes of a call's arguments together; browsers send a fifth of it.
MAX_ARGUMENT_BYTES = 1_024


class ShortCache(Generic[P, R]):
    """Caches the newest `max_entries` calls with short arguments; longer ones are computed each time."""

    def __init__(self, function: Callable[P, R], max_entries: int) -> None:
        self._function, self._cached = function, lru_cache(max_entries)(function)
        self.cache_clear, self.cache_info = self._cached.cache_clear, self._cached.cache_info
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        # Positional texts, bytes or None; filter() and map() run without a step of Python.
        if sum(map(len, filter(None, args))) > MAX_ARGUMENT_BYTES:  # type: ignore[arg-type]
            return self._function(*args, **kwargs)
        return self._cached(*args, **kwargs)  # type: ignore[arg-type]


def short_cache(max_entries: int) -> Callable[[Callable[P, R]], ShortCache[P, R]]:
    """A decorator for a function of texts: a ShortCache of it."""
    return lambda function: ShortCache(function, max_entries)
