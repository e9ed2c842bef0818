"""The limits of log-in codes and passwords, with their numbers.

Short windows live in Redis, whole days in SQL. A lost Redis empties the windows, but it also voids every
code, and each new code is counted in SQL. So a phone gets at most 20 codes x 5 checks = 100 guesses a day.
While Redis is away nobody gets a code or logs in (503).
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.live_settings import LOGINS
from apps.accounts.models import DailyCount
from apps.redis_kit import client, limiter
from apps.redis_kit.limiter import Limit
from apps.web import client_address
from apps.web.problems import Problem

TEN_MINUTES = timedelta(minutes=10)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
log = logging.getLogger(__name__)

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

#: Few guesses from one place; from everywhere so many that a stranger shuts no manager out from one address,
#: and still nothing against twelve characters that are hard to guess.
PASSWORD_BY_PHONE_AND_SITE = Limit(name="phone-site", family="password", allowed=10, period=TEN_MINUTES)
PASSWORD_BY_PHONE = Limit(name="phone", family="password", allowed=100, period=TEN_MINUTES)
PASSWORD_BY_SITE = Limit(name="site", family="password", allowed=50, period=TEN_MINUTES)

#: Per UTC day, in SQL: by phone, by site, by everybody (a message costs money).
MAX_SENDS_PER_DAY = {"phone": 20, "site": 2_000, "all": 50_000}
MAX_CHECKS_PER_DAY = {"phone": 100, "site": 4_000, "all": 200_000}

#: Each takes a second of a core; nobody looks for a better picture of themselves every three minutes.
AVATARS = Limit(name="avatars", family="accounts", allowed=20, period=timedelta(hours=1))

Allowance = tuple[str, str, int]


def charge_send(phone: str, *, ip: str) -> None:
    """Count one code sent to a phone; Problem 429 past a limit."""
    site, neighbourhood = client_address.site_network(ip), client_address.neighbourhood_network(ip)
    by_all = replace(SEND_BY_ALL, allowed=LOGINS.current().codes_per_minute)
    by_place = [(SEND_BY_SITE, site), (SEND_BY_NEIGHBOURHOOD, neighbourhood), (by_all, "")]
    _charge_windows([(SEND_BY_PHONE, phone), *by_place])
    _charge_daily("send", phone=phone, site=site, allowed=MAX_SENDS_PER_DAY)


def charge_check(phone: str, *, ip: str, is_guess: bool = True) -> None:
    """Count one check of a phone's code, right or wrong; Problem 429 past a limit.

    Where there is no code to guess, it counts for its address alone: a stranger who types numbers for a phone
    must shut out neither its owner nor everybody.
    """
    site, neighbourhood = client_address.site_network(ip), client_address.neighbourhood_network(ip)
    by_place: list[tuple[Limit, str | int]] = [
        (CHECK_BY_SITE, site),
        (CHECK_BY_NEIGHBOURHOOD, neighbourhood),
    ]
    by_person: list[tuple[Limit, str | int]] = [(CHECK_BY_PHONE, phone), (CHECK_BY_ALL, "")]
    _charge_windows([*by_place, *by_person] if is_guess else by_place)
    allowed = MAX_CHECKS_PER_DAY if is_guess else {"site": MAX_CHECKS_PER_DAY["site"]}
    _charge_daily("check", phone=phone, site=site, allowed=allowed)


def charge_password(phone: str, *, ip: str) -> None:
    """Count one try of a manager's password; Problem 429 past a limit."""
    site = client_address.site_network(ip)
    by_phone = [(PASSWORD_BY_PHONE_AND_SITE, f"{phone} {site}"), (PASSWORD_BY_PHONE, phone)]
    _charge_windows([*by_phone, (PASSWORD_BY_SITE, site)])


def charge_avatar(user_id: int) -> None:
    """Count one picture of a person; Problem 429 past the limit, and nothing is counted without Redis."""
    try:
        _charge_windows([(AVATARS, user_id)])
    except client.UNAVAILABLE:
        log.warning("Redis is away: a picture of person %d is not counted", user_id)


def _charge_windows(charges: Sequence[tuple[Limit, str | int]]) -> None:
    verdict = limiter.hit(charges)
    if not verdict.allowed:
        raise _too_many_requests(verdict.retry_after)


def _charge_daily(what: str, *, phone: str, site: str, allowed: dict[str, int]) -> None:
    now = timezone.now()
    subjects = {"phone": phone, "site": site, "all": ""}
    # One transaction: a refused attempt charges nobody, least of all everybody.
    with transaction.atomic():
        for scope, most in allowed.items():
            kind = f"{what}:{scope}"
            if not DailyCount.objects.take(now.date(), what=kind, subject=subjects[scope], allowed=most):
                midnight = now.replace(hour=0, minute=0, second=0) + DAY
                raise _too_many_requests((midnight - now).total_seconds())


def _too_many_requests(retry_after: float) -> Problem:
    # One sentence for every limit: which one it was would help only the attacker.
    sentence = _("Too many tries. Please wait a while and try again.")
    return Problem(429, "too_many_requests", sentence, retry_after=retry_after)
