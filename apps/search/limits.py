"""Rate limits of searches and suggestions: above what people do, below what a script does that reads all."""

from datetime import timedelta

from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.redis_kit.limiter import Limit
from apps.web import client_address, rate_limits

TEN_SECONDS = timedelta(seconds=10)
#: Several visitors may share an address. A search of a large city takes Redis 50 ms, which claims wait for.
SEARCHES_OF_PERSON = Limit(name="person", family="search", allowed=30, period=TEN_SECONDS)
SEARCHES_OF_ADDRESS = Limit(name="address", family="search", allowed=60, period=TEN_SECONDS)
SUGGESTIONS_OF_PERSON = Limit(name="person", family="suggest", allowed=200, period=TEN_SECONDS)
SUGGESTIONS_OF_ADDRESS = Limit(name="address", family="suggest", allowed=600, period=TEN_SECONDS)


def charge_search(request: HttpRequest, person_id: int | None) -> None:
    """Count a search of a person, or else of an address; Problem 429 over the limit."""
    _charge(request, person_id, SEARCHES_OF_PERSON, SEARCHES_OF_ADDRESS)


def charge_suggestion(request: HttpRequest, person_id: int | None) -> None:
    """Count a request for suggestions, as `charge_search` counts searches.

    Without Redis SQL answers, which has its own bound of loads at once.
    """
    _charge(request, person_id, SUGGESTIONS_OF_PERSON, SUGGESTIONS_OF_ADDRESS)


def _charge(request: HttpRequest, person_id: int | None, of_person: Limit, of_address: Limit) -> None:
    network = client_address.site_network(client_address.client_ip(request))
    sentence = _("You have done this too often. Please wait a while and try again.")
    rate_limits.charge([(of_person, str(person_id)) if person_id else (of_address, network)], sentence)
