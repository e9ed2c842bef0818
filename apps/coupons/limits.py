"""Limits on what one person may do: claims, redeem codes at the counter, reminders, gifts."""

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from apps.coupons import refusals
from apps.coupons.live_settings import CLAIMS_ALLOWED, SALES
from apps.redis_kit import client, limiter
from apps.web import rate_limits

#: `allowed` is a setting: `claim_limit` has the one in force.
CLAIM_LIMIT = limiter.Limit(
    name="claims", family="seckill", allowed=CLAIMS_ALLOWED, period=timedelta(seconds=10)
)
#: Enough for typing errors at a busy counter, too little for guessing codes.
WRONG_CODE_LIMIT = limiter.Limit(
    name="wrong_codes", family="redeem", allowed=20, period=timedelta(minutes=10)
)
#: Reminders set or removed.
REMINDER_LIMIT = limiter.Limit(name="reminders", family="coupons", allowed=60, period=timedelta(minutes=1))
#: Links of gifts made, taken back or taken.
GIFT_LIMIT = limiter.Limit(name="gifts", family="coupons", allowed=60, period=timedelta(minutes=10))


def claim_limit() -> limiter.Limit:
    """The limit of a person's claims, as operators have set it."""
    return replace(CLAIM_LIMIT, allowed=SALES.current().claims_per_ten_seconds)


def charge_claim(user_id: int) -> None:
    """Count a claim of this person, or raise Problem 429; client.UNAVAILABLE: claims need Redis anyway."""
    # The event loop's answers to claims name no limits, and are the same bytes.
    with limiter.watch(is_on=False):
        verdict = limiter.hit([(claim_limit(), user_id)])
    if not verdict.allowed:
        raise refusals.too_many_requests(verdict.retry_after)


def may_redeem(staff_id: int) -> limiter.Verdict:
    """Whether this member of staff may enter another code; yes without Redis: a code has 60 random bits."""
    try:
        return limiter.peek([(WRONG_CODE_LIMIT, staff_id)])
    except client.UNAVAILABLE:
        return limiter.Verdict(allowed=True)


def count_wrong_code(staff_id: int) -> None:
    """Count a code that belongs to no order."""
    with suppress(*client.UNAVAILABLE):
        limiter.hit([(WRONG_CODE_LIMIT, staff_id)])


def charge_reminder(user_id: int) -> None:
    """Count a reminder that is set or removed, or raise Problem 429; without Redis all pass: SQL copes."""
    rate_limits.charge([(REMINDER_LIMIT, user_id)], refusals.TOO_OFTEN)


def charge_gift(user_id: int) -> None:
    """Count a change of a gift, or raise Problem 429; without Redis all pass: SQL copes."""
    rate_limits.charge([(GIFT_LIMIT, user_id)], refusals.TOO_OFTEN)
