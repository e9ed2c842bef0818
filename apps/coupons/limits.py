"""How often a person may try; numbers beside their names."""

from datetime import timedelta

from apps.redis_kit import limiter

#: A person's finger and its retries, not a script's loop.
CLAIMS = limiter.Limit(name="claims", family="seckill", allowed=100, period=timedelta(seconds=10))


def may_claim(user_id: int) -> limiter.Verdict:
    """Whether this person may try for a sale once more."""
    return limiter.hit([(CLAIMS, user_id)])
