"""The limit on callbacks without a good signature."""

from contextlib import suppress
from datetime import timedelta

from apps.redis_kit import client, limiter
from apps.web import client_address

#: Per address. What is signed well is never counted: a provider must be heard.
BAD_CALLBACKS = limiter.Limit(
    name="bad_callbacks", family="payments", allowed=30, period=timedelta(minutes=1)
)


def count_bad_callback(ip: str) -> limiter.Verdict:
    """Count a callback without a good signature; without Redis it is only refused."""
    with suppress(*client.UNAVAILABLE):
        return limiter.hit([(BAD_CALLBACKS, client_address.site_network(ip))])
    return limiter.Verdict(allowed=True)
