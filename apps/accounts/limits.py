"""The limits of log-in codes and passwords, with their numbers.

Short windows live in Redis, whole days in SQL. A lost Redis empties the windows, but it also voids every
code, and each new code is counted in SQL. So a phone gets at most 20 codes x 5 checks = 100 guesses a day,
and 30 by programs that don't send a code's request back. One address doesn't get all codes of a phone, and
only checks by a code's holder count against it. While Redis is away codes and log-ins are refused (503).
"""

from dataclasses import replace
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.accounts.live_settings import LOGINS
from apps.accounts.models import DailyCount
from apps.redis_kit import limiter
from apps.redis_kit.limiter import Checks, Limit
from apps.web import client_address, rate_limits
from apps.web.days import start_of_day

TEN_MINUTES = timedelta(minutes=10)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)

SEND_BY_PHONE_AND_SITE = Limit(name="phone-site", family="code_send", allowed=5, period=TEN_MINUTES)
#: Twice that: who has codes sent to somebody's phone doesn't keep them from asking for theirs.
SEND_BY_PHONE = Limit(name="phone", family="code_send", allowed=10, period=TEN_MINUTES)
#: A mobile network puts hundreds of people behind one IPv4 address; who writes to strangers has one too.
SEND_BY_SITE = Limit(name="site", family="code_send", allowed=60, period=TEN_MINUTES)
#: An IPv4 /24 or IPv6 /48: fewer than 100 phones.
SEND_BY_NEIGHBOURHOOD = Limit(name="neighbourhood", family="code_send", allowed=90, period=TEN_MINUTES)
#: `allowed` is a setting (live_settings).
SEND_BY_ALL = Limit(name="all", family="code_send", allowed=2_000, period=MINUTE)

#: Shared by all who type a phone's code without its request.
CHECK_WITHOUT_REQUEST = Limit(name="phone", family="code_check", allowed=10, period=TEN_MINUTES)
CHECK_BY_SITE = Limit(name="site", family="code_check", allowed=200, period=TEN_MINUTES)
CHECK_BY_NEIGHBOURHOOD = Limit(name="neighbourhood", family="code_check", allowed=800, period=TEN_MINUTES)
CHECK_BY_ALL = Limit(name="all", family="code_check", allowed=4_000, period=MINUTE)

#: Few guesses from one place; from everywhere so many that a stranger shuts no manager out from one address,
#: and still nothing against twelve characters that are hard to guess.
PASSWORD_BY_PHONE_AND_SITE = Limit(name="phone-site", family="password", allowed=10, period=TEN_MINUTES)
PASSWORD_BY_PHONE = Limit(name="phone", family="password", allowed=100, period=TEN_MINUTES)
PASSWORD_BY_SITE = Limit(name="site", family="password", allowed=50, period=TEN_MINUTES)

#: Per UTC day, in SQL: by phone, by site, by everybody (a message costs money).
#: Everybody's number of codes is a setting (live_settings), and its row in SQL is called SENT_BY_ALL.
MAX_SENDS_PER_DAY = {"phone-site": 12, "phone": 20, "site": 2_000}
SENT_BY_ALL = "send:all"
#: "phone" is what is typed without a request.
MAX_CHECKS_PER_DAY = {"phone": 30, "site": 4_000, "all": 200_000}

#: Each takes a second of a core; nobody looks for a better picture of themselves every three minutes.
AVATARS = Limit(name="avatars", family="accounts", allowed=20, period=timedelta(hours=1))

#: Made by hand, one a program.
PROGRAM_TOKENS = Limit(name="program-tokens", family="accounts", allowed=30, period=timedelta(hours=1))

#: Made by hand, one a device.
PASSKEYS = Limit(name="passkeys", family="accounts", allowed=30, period=timedelta(hours=1))

#: One sentence for every limit: which one it was would help only the attacker.
TOO_MANY = _("Too many tries. Please try again in %(wait)s.")


def charge_send(phone: str, *, ip: str) -> None:
    """Count one code sent to a phone; Problem 429 past a limit."""
    site, neighbourhood = client_address.site_network(ip), client_address.neighbourhood_network(ip)
    numbers = LOGINS.current()
    by_all = replace(SEND_BY_ALL, allowed=numbers.codes_per_minute)
    by_place = [(SEND_BY_SITE, site), (SEND_BY_NEIGHBOURHOOD, neighbourhood), (by_all, "")]
    by_phone = [(SEND_BY_PHONE_AND_SITE, f"{phone} {site}"), (SEND_BY_PHONE, phone)]
    _charge_windows([*by_phone, *by_place])
    by_day = MAX_SENDS_PER_DAY | {"all": numbers.codes_per_day}
    _charge_daily("send", phone=phone, site=site, allowed=by_day)


def charge_check(*, ip: str, is_guess: bool = True, phone_without_request: str = "") -> None:
    """Count one check of a code, right or wrong; Problem 429 past a limit.

    Where there is no code to guess, it counts for its address alone: a stranger who types numbers for a phone
    must shut out neither its owner nor everybody. With a request the code itself counts its checks, without
    one `phone_without_request` does. A log-in by passkey counts as one such check.
    """
    site, neighbourhood = client_address.site_network(ip), client_address.neighbourhood_network(ip)
    by_place: list[tuple[Limit, str | int]] = [
        (CHECK_BY_SITE, site),
        (CHECK_BY_NEIGHBOURHOOD, neighbourhood),
    ]
    charges, scopes = by_place, ["site"]
    if is_guess:
        charges, scopes = [*charges, (CHECK_BY_ALL, "")], [*scopes, "all"]
    if is_guess and phone_without_request:
        charges, scopes = [*charges, (CHECK_WITHOUT_REQUEST, phone_without_request)], ["phone", *scopes]
    _charge_windows(charges)
    allowed = {scope: MAX_CHECKS_PER_DAY[scope] for scope in scopes}
    _charge_daily("check", phone=phone_without_request, site=site, allowed=allowed)


def charge_password(phone: str, *, ip: str) -> None:
    """Count one try of a manager's password; Problem 429 past a limit."""
    site = client_address.site_network(ip)
    by_phone = [(PASSWORD_BY_PHONE_AND_SITE, f"{phone} {site}"), (PASSWORD_BY_PHONE, phone)]
    _charge_windows([*by_phone, (PASSWORD_BY_SITE, site)])


def charge_avatar(user_id: int) -> None:
    """Count one picture of a person; Problem 429 past the limit, and nothing is counted without Redis."""
    rate_limits.charge([(AVATARS, user_id)], TOO_MANY)


def charge_program_token(user_id: int) -> None:
    """Count one new token of a person; Problem 429 past the limit, and nothing is counted without Redis."""
    rate_limits.charge([(PROGRAM_TOKENS, user_id)], TOO_MANY)


def charge_new_passkey(user_id: int) -> None:
    """Count one passkey that a person begins to add; Problem 429 past the limit."""
    _charge_windows([(PASSKEYS, user_id)])


def _charge_windows(checks: Checks) -> None:
    rate_limits.require(limiter.hit(checks), TOO_MANY)


def _charge_daily(what: str, *, phone: str, site: str, allowed: dict[str, int]) -> None:
    now = timezone.now()
    subjects = {"phone-site": f"{phone} {site}", "phone": phone, "site": site, "all": ""}
    # One transaction: a refused attempt charges nobody, least of all everybody.
    with transaction.atomic():
        for scope, most in allowed.items():
            kind = f"{what}:{scope}"
            if not DailyCount.objects.take(now.date(), what=kind, subject=subjects[scope], allowed=most):
                wait = start_of_day(now) + DAY - now
                raise rate_limits.refusal(TOO_MANY, wait.total_seconds())
