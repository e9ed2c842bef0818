"""Rate limits of searches and suggestions: above what people do, below what a script does that reads all."""

import time
from datetime import timedelta
from math import ceil

from django.http import HttpRequest
from django.utils.translation import gettext as _

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
#: Addresses that a process remembers as refused; of more, Django refuses each anew.
MAX_REFUSED = 10_000
#: Of each, the time (monotonic) from which on it may search again.
_refused: dict[str, float] = {}


def charge_search(request: HttpRequest, person_id: int | None) -> None:
    """Count a search of a person, or else of an address; Problem 429 over the limit."""
    if seconds := request.META.get(REFUSED_SECONDS):
        raise rate_limits.refusal(_sentence(), seconds)
    try:
        _charge(request, person_id, SEARCHES_OF_PERSON, SEARCHES_OF_ADDRESS)
    except Problem as refused:
        if not person_id and refused.retry_after:
            _remember(client_address.site_network(client_address.client_ip(request)), refused.retry_after)
        raise


def has_refused() -> bool:
    """Whether this process has refused searches of any address lately."""
    return bool(_refused)


def refused_seconds(network: str) -> int:
    """Seconds until an address that this process has refused may search again; 0 where it may."""
    until = _refused.get(network)
    if until is None:
        return 0
    seconds = ceil(until - time.monotonic())
    if seconds <= 0:
        _refused.pop(network, None)
    return max(0, seconds)


def forget_refused() -> None:
    """Forget which addresses were refused."""
    _refused.clear()


def charge_suggestion(request: HttpRequest, person_id: int | None) -> None:
    """Count a request for suggestions, as `charge_search` counts searches.

    Without Redis SQL answers, which has its own bound of loads at once.
    """
    _charge(request, person_id, SUGGESTIONS_OF_PERSON, SUGGESTIONS_OF_ADDRESS)


def _charge(request: HttpRequest, person_id: int | None, of_person: Limit, of_address: Limit) -> None:
    network = client_address.site_network(client_address.client_ip(request))
    rate_limits.charge([(of_person, str(person_id)) if person_id else (of_address, network)], _sentence())


def _sentence() -> str:
    return _("You have done this too often. Please wait a while and try again.")


def _remember(network: str, seconds: float) -> None:
    if len(_refused) >= MAX_REFUSED:
        _refused.clear()
    _refused[network] = time.monotonic() + seconds
