"""How often a person may try; numbers beside their names."""

import logging
from contextlib import suppress
from datetime import timedelta

from apps.coupons import refusals
from apps.redis_kit import client, limiter

#: A person's finger and its retries, not a script's loop.
CLAIM_LIMIT = limiter.Limit(name="claims", family="seckill", allowed=100, period=timedelta(seconds=10))
#: Typing errors of a busy till, not somebody who tries codes.
WRONG_CODE_LIMIT = limiter.Limit(
    name="wrong_codes", family="redeem", allowed=20, period=timedelta(minutes=10)
)
#: A reminder more or less, as likes are.
REMINDER_LIMIT = limiter.Limit(name="reminders", family="coupons", allowed=60, period=timedelta(minutes=1))
log = logging.getLogger(__name__)


def may_claim(user_id: int) -> limiter.Verdict:
    """Whether this person may try for a sale once more."""
    return limiter.hit([(CLAIM_LIMIT, user_id)])


def may_redeem(staff_id: int) -> limiter.Verdict:
    """Whether this member of staff may try one more code; without Redis yes: 96 random bits hold alone."""
    try:
        return limiter.peek([(WRONG_CODE_LIMIT, staff_id)])
    except client.UNAVAILABLE:
        return limiter.Verdict(allowed=True)


def count_wrong_code(staff_id: int) -> None:
    """Count a code that nobody holds."""
    with suppress(*client.UNAVAILABLE):
        limiter.hit([(WRONG_CODE_LIMIT, staff_id)])


def charge_reminder(user_id: int) -> None:
    """Count one press of a bell, or Problem 429; without Redis the door stays open: SQL bears it."""
    try:
        verdict = limiter.hit([(REMINDER_LIMIT, user_id)])
    except client.UNAVAILABLE:
        log.warning("a reminder of %d is not counted: Redis is away", user_id)
        return
    if not verdict.allowed:
        raise refusals.too_many_requests(verdict.retry_after)
