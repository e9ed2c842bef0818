"""Rate limits of demonstrations and measurements, for a visitor and for the site."""

from datetime import timedelta

from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.redis_kit import client, limiter
from apps.web import client_address
from apps.web.problems import Problem

MINUTE = timedelta(minutes=1)
#: Somebody who tries every button of a few pages.
RUNS = limiter.Limit(name="visitor", family="pattern-runs", allowed=30, period=MINUTE)
SITE_RUNS = limiter.Limit(name="site", family="pattern-runs", allowed=300, period=MINUTE)
#: A measurement keeps Redis busy for a second.
MEASUREMENTS = limiter.Limit(name="visitor", family="pattern-measurements", allowed=6, period=MINUTE)
SITE_MEASUREMENTS = limiter.Limit(name="site", family="pattern-measurements", allowed=20, period=MINUTE)


def charge_run(request: HttpRequest) -> None:
    """Count one demonstration, or Problem 429."""
    _charge(request, RUNS, SITE_RUNS)


def charge_measurement(request: HttpRequest) -> None:
    """Count one measurement, or Problem 429."""
    _charge(request, MEASUREMENTS, SITE_MEASUREMENTS)


def _charge(request: HttpRequest, visitor: limiter.Limit, site: limiter.Limit) -> None:
    network = client_address.site_network(client_address.client_ip(request))
    try:
        verdict = limiter.hit([(visitor, network), (site, "all")])
    except client.UNAVAILABLE:
        # The demonstration itself finds Redis away, and says so.
        return
    if not verdict.allowed:
        sentence = _("That was a lot at once. Wait a moment, then run it again.")
        raise Problem(429, "too_many_requests", sentence, retry_after=verdict.retry_after)
