"""One record of each answered request, which whoever measures hears: the access log, the times of routes.

    Front(…, observers=[access_log.hear, time_answers])
    # time_answers([Answered(route="shops:detail", status=200, seconds=0.00006, …), …])

The protocol tells of what routes answer, the application (front.asgi) of all other requests.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from django.urls import resolve

from apps.front.route import Message

#: In the environment of a request that the site makes of itself, such as for a document of many readers.
INTERNAL = "savor.internal"


class Answered(NamedTuple):
    """An answer that ends now.

    `request` has no body where Django answered; `route` is "" there, since Django times its views by itself.
    `bytes` are the answer's body's, None of a stream that stays open.
    """

    request: Message
    route: str
    status: int
    seconds: float
    bytes: int | None
    is_html: bool


#: Called with the answers of a turn of the event loop, at its end: be quick, and never raise.
Observer = Callable[[Sequence[Answered]], object]


@lru_cache(maxsize=32)
def route_name(path: str) -> str:
    """The name of the route of a path that is always the same, or of its pattern."""
    return resolve(path).view_name
