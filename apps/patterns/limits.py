"""Rate limits of demonstrations and measurements, for a visitor and for the site."""

from datetime import timedelta

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apps.redis_kit import limiter
from apps.web import client_address, rate_limits

MINUTE = timedelta(minutes=1)
#: Somebody who tries every button of a few pages.
RUNS = limiter.Limit(name="visitor", family="pattern-runs", allowed=30, period=MINUTE)
SITE_RUNS = limiter.Limit(name="site", family="pattern-runs", allowed=300, period=MINUTE)
#: A measurement keeps Redis busy for a second.
MEASUREMENTS = limiter.Limit(name="visitor", family="pattern-measurements", allowed=6, period=MINUTE)
SITE_MEASUREMENTS = limiter.Limit(name="site", family="pattern-measurements", allowed=20, period=MINUTE)
TOO_MUCH = _("That was a lot at once. Wait a moment, then run it again.")


def charge_run(request: HttpRequest) -> None:
    """Count one demonstration, or Problem 429."""
    _charge(request, RUNS, SITE_RUNS)


def charge_measurement(request: HttpRequest) -> None:
    """Count one measurement, or Problem 429."""
    _charge(request, MEASUREMENTS, SITE_MEASUREMENTS)


def _charge(request: HttpRequest, visitor: limiter.Limit, site: limiter.Limit) -> None:
    network = client_address.site_network(client_address.client_ip(request))
    # Without Redis the demonstration itself says so.
    rate_limits.charge([(visitor, network), (site, "all")], TOO_MUCH)
