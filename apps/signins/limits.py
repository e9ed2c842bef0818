"""Rate limit for check-ins and make-ups."""

from datetime import timedelta

from apps.redis_kit import client, limiter
from apps.signins import refusals

#: One check-in a day suffices, so the limit stops only a program that loops.
ATTEMPTS = limiter.Limit(name="tries", family="signins", allowed=30, period=timedelta(minutes=1))


def charge(user_id: int) -> None:
    """Count one attempt.

    Raises Problem 429 over the limit. Without Redis nothing is refused: SQL decides anyway.
    """
    try:
        verdict = limiter.hit([(ATTEMPTS, user_id)])
    except client.UNAVAILABLE:
        return
    if not verdict.allowed:
        raise refusals.TOO_MANY_ATTEMPTS.problem(verdict.retry_after)
