"""How often a person may sign in or make up a day; numbers beside their names."""

from datetime import timedelta

from apps.redis_kit import client, limiter
from apps.signins import refusals

#: Once a day would do: this stops a loop, not a finger.
ATTEMPTS = limiter.Limit(name="tries", family="signins", allowed=30, period=timedelta(minutes=1))


def charge(user_id: int) -> None:
    """Count one try, or Problem 429; none is refused while Redis is away, since SQL decides anyway."""
    try:
        verdict = limiter.hit([(ATTEMPTS, user_id)])
    except client.UNAVAILABLE:
        return
    if not verdict.allowed:
        raise refusals.TOO_MANY_ATTEMPTS.problem(verdict.retry_after)
