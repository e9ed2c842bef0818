"""Rate limits of searches and suggestions: above what people do, below what a script does that reads all."""

import time
from datetime import timedelta
from math import ceil

from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.redis_kit import limiter
from apps.redis_kit.limiter import Limit
from apps.web import client_address, rate_limits
from apps.web.problems import Problem

TEN_SECONDS = timedelta(seconds=10)
#: Several visitors may share an address. A search of a large city takes Redis 50 ms, which claims wait for.
SEARCHES_OF_PERSON = Limit(name="person", family="search", allowed=30, period=TEN_SECONDS)
SEARCHES_OF_ADDRESS = Limit(name="address", family="search", allowed=60, period=TEN_SECONDS)
SUGGESTIONS_OF_PERSON = Limit(name="person", family="suggest", allowed=200, period=TEN_SECONDS)
SUGGESTIONS_OF_ADDRESS = Limit(name="address", family="suggest", allowed=600, period=TEN_SECONDS)

#: In the environment of a request of the event loop's own: it asks for the words of a refusal (search.route).
REFUSED_SECONDS = "savor.search_refused"
#: Addresses and people that a process remembers as refused; of more, Django refuses each anew.
MAX_REFUSED = 10_000
#: By limit, and whose it is: the time (monotonic) from which on they are let in again.
_refused: dict[tuple[Limit, str], float] = {}


def charge_search(request: HttpRequest, person_id: int | None) -> None:
    """Count a search of a person, or else of an address; Problem 429 over the limit."""
    _charge(request, person_id, SEARCHES_OF_PERSON, SEARCHES_OF_ADDRESS)


def charge_suggestion(request: HttpRequest, person_id: int | None) -> None:
    """Count a request for suggestions, as `charge_search` counts searches.

    Without Redis SQL answers, which has its own bound of loads at once.
    """
    _charge(request, person_id, SUGGESTIONS_OF_PERSON, SUGGESTIONS_OF_ADDRESS)


def has_refused() -> bool:
    """Whether this process has refused anybody lately."""
    return bool(_refused)


def refused_seconds(limit: Limit, whose: str) -> int:
    """Seconds until a network, or a person's id, that this process has refused is let in again, or 0."""
    until = _refused.get((limit, whose))
    if until is None:
        return 0
    seconds = ceil(until - time.monotonic())
    if seconds <= 0:
        _refused.pop((limit, whose), None)
    return max(0, seconds)


def forget_refused() -> None:
    """Forget who was refused."""
    _refused.clear()


def _charge(request: HttpRequest, person_id: int | None, of_person: Limit, of_address: Limit) -> None:
    network = client_address.site_network(client_address.client_ip(request))
    limit, whose = (of_person, str(person_id)) if person_id else (of_address, network)
    if seconds := request.META.get(REFUSED_SECONDS):
        limiter.note(limiter.Count(limit, 0, seconds))
        raise rate_limits.refusal(_sentence(), seconds)
    try:
        rate_limits.charge([(limit, whose)], _sentence())
    except Problem as refused:
        if refused.retry_after:
            _remember(limit, whose, refused.retry_after)
        raise


def _sentence() -> str:
    return _("You have done this too often. Please wait a while and try again.")


def _remember(limit: Limit, whose: str, seconds: float) -> None:
    if len(_refused) >= MAX_REFUSED:
        _refused.clear()
    _refused[limit, whose] = time.monotonic() + seconds
