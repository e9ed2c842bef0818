"""One hook behind every request that the event loop answers itself, without Django: for measuring.

    request_observers.add(timings)     # timings("shops:detail", 0.00006, 200)

Without an observer a request costs one look at an empty tuple.
"""

from collections.abc import Callable
from functools import lru_cache

from django.urls import resolve

#: Called with the route's name, the seconds from head to answer, and the status, in the event loop: be quick.
Observer = Callable[[str, float, int], object]
#: In the environment of a request that the site makes of itself, such as for a document of many readers.
INTERNAL = "savor.internal"
#: Empty where nothing is measured: then look no further.
observers: tuple[Observer, ...] = ()


def add(observer: Observer) -> None:
    """Call the observer after each request from now on, in this process."""
    global observers
    observers = (*observers, observer)


def remove(observer: Observer) -> None:
    """Call it no more; nothing happens if it is not registered."""
    global observers
    observers = tuple(other for other in observers if other != observer)


def notify(route: str, seconds: float, status: int) -> None:
    """Tell the observers of an answered request."""
    for observer in observers:
        observer(route, seconds, status)


@lru_cache(maxsize=32)
def route_name(path: str) -> str:
    """The name of the route of a path that is always the same, or stands for all of its kind."""
    return resolve(path).view_name
