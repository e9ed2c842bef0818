"""The limits of log-in codes and passwords, with their numbers.

Short windows live in Redis, whole days in SQL. A lost Redis empties the windows, but it also voids every
code, and each new code is counted in SQL. So a phone gets at most 20 codes x 5 checks = 100 guesses a day.
While Redis is away nobody gets a code or logs in (503).
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.live_settings import LOGINS
from apps.accounts.models import DailyCount
from apps.redis_kit import limiter
from apps.redis_kit.limiter import Limit
from apps.web import client_address
from apps.web.problems import Problem

TEN_MINUTES = timedelta(minutes=10)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)

SEND_BY_PHONE = Limit(name="phone", family="code_send", allowed=5, period=TEN_MINUTES)
#: A mobile network puts hundreds of people behind one IPv4 address.
SEND_BY_SITE = Limit(name="site", family="code_send", allowed=100, period=TEN_MINUTES)
SEND_BY_NEIGHBOURHOOD = Limit(name="neighbourhood", family="code_send", allowed=400, period=TEN_MINUTES)
#: `allowed` is a setting (live_settings).
SEND_BY_ALL = Limit(name="all", family="code_send", allowed=2_000, period=MINUTE)

CHECK_BY_PHONE = Limit(name="phone", family="code_check", allowed=20, period=TEN_MINUTES)
CHECK_BY_SITE = Limit(name="site", family="code_check", allowed=200, period=TEN_MINUTES)
CHECK_BY_NEIGHBOURHOOD = Limit(name="neighbourhood", family="code_check", allowed=800, period=TEN_MINUTES)
CHECK_BY_ALL = Limit(name="all", family="code_check", allowed=4_000, period=MINUTE)

PASSWORD_BY_PHONE = Limit(name="phone", family="password", allowed=10, period=TEN_MINUTES)
PASSWORD_BY_SITE = Limit(name="site", family="password", allowed=50, period=TEN_MINUTES)

#: Per UTC day, in SQL: by phone, by site, by everybody (a message costs money).
MAX_SENDS_PER_DAY = {"phone": 20, "site": 2_000, "all": 50_000}
MAX_CHECKS_PER_DAY = {"phone": 100, "site": 4_000, "all": 200_000}

Allowance = tuple[str, str, int]


def charge_send(phone: str, *, ip: str) -> None:
    """Count one code sent to a phone; Problem 429 past a limit."""
    site, neighbourhood = client_address.site_network(ip), client_address.neighbourhood_network(ip)
    by_all = replace(SEND_BY_ALL, allowed=LOGINS.current().codes_per_minute)
    by_place = [(SEND_BY_SITE, site), (SEND_BY_NEIGHBOURHOOD, neighbourhood), (by_all, "")]
    _charge_windows([(SEND_BY_PHONE, phone), *by_place])
    _charge_daily("send", phone=phone, site=site, allowed=MAX_SENDS_PER_DAY)


def charge_check(phone: str, *, ip: str) -> None:
    """Count one check of a phone's code, right or wrong; Problem 429 past a limit."""
    site, neighbourhood = client_address.site_network(ip), client_address.neighbourhood_network(ip)
    by_place = [(CHECK_BY_SITE, site), (CHECK_BY_NEIGHBOURHOOD, neighbourhood), (CHECK_BY_ALL, "")]
    _charge_windows([(CHECK_BY_PHONE, phone), *by_place])
    _charge_daily("check", phone=phone, site=site, allowed=MAX_CHECKS_PER_DAY)


def charge_password(phone: str, *, ip: str) -> None:
    """Count one try of a manager's password; Problem 429 past a limit."""
    _charge_windows([(PASSWORD_BY_PHONE, phone), (PASSWORD_BY_SITE, client_address.site_network(ip))])


def _charge_windows(asked: Sequence[tuple[Limit, str]]) -> None:
    verdict = limiter.hit(asked)
    if not verdict.allowed:
        raise _too_many_requests(verdict.retry_after)


def _charge_daily(what: str, *, phone: str, site: str, allowed: dict[str, int]) -> None:
    now = timezone.now()
    subjects = {"phone": phone, "site": site, "all": ""}
    # One transaction: a refused attempt charges nobody, least of all everybody.
    with transaction.atomic():
        for scope, subject in subjects.items():
            kind, most = f"{what}:{scope}", allowed[scope]
            if not DailyCount.objects.take(now.date(), what=kind, subject=subject, allowed=most):
                midnight = now.replace(hour=0, minute=0, second=0) + DAY
                raise _too_many_requests((midnight - now).total_seconds())


def _too_many_requests(retry_after: float) -> Problem:
    # One sentence for every limit: which one it was would help only the attacker.
    sentence = _("Too many tries. Please wait a while and try again.")
    return Problem(429, "too_many_requests", sentence, retry_after=retry_after)
