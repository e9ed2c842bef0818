"""Rate limits of suggestions: far above what a person types, far below what a script does that reads all."""

from datetime import timedelta

from apps.redis_kit.limiter import Limit
from apps.web import client_address, rate_limits

TEN_SECONDS = timedelta(seconds=10)
BY_PERSON = Limit(name="person", family="suggest", allowed=200, period=TEN_SECONDS)
#: Several visitors may share an address.
BY_ADDRESS = Limit(name="address", family="suggest", allowed=600, period=TEN_SECONDS)


def charge_suggestion(person_id: int | None, *, ip: str) -> None:
    """Count one request of a person, or else of an address; Problem 429 over the limit.

    Without Redis SQL answers, which has its own bound of loads at once.
    """
    check = (BY_PERSON, str(person_id)) if person_id else (BY_ADDRESS, client_address.site_network(ip))
    rate_limits.charge([check])
