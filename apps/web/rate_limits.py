"""Charges for limits: an attempt is counted, or refused with 429 and the time to wait."""

import logging
from math import ceil

from django.utils.functional import Promise
from django.utils.translation import ngettext

from apps.redis_kit import client, limiter
from apps.redis_kit.limiter import Checks, Verdict
from apps.web.problems import Problem

log = logging.getLogger(__name__)


def charge(checks: Checks, sentence: str | Promise = "") -> None:
    """Count an attempt in each limit; Problem 429 with the sentence if a limit is reached.

    Without Redis nothing is counted, and nothing refused.
    """
    try:
        verdict = limiter.hit(checks)
    except client.UNAVAILABLE:
        limit = checks[0][0]
        log.warning("Redis is away: an attempt is not counted for %s:%s", limit.family, limit.name)
        return
    require(verdict, sentence)


def require(verdict: Verdict, sentence: str | Promise = "") -> None:
    """Problem 429 with the sentence and the seconds to wait, unless the attempt is allowed."""
    if not verdict.allowed:
        raise refusal(sentence, verdict.retry_after)


def refusal(sentence: str | Promise, retry_after: float) -> Problem:
    """Problem 429; "%(wait)s" in its sentence becomes "10 minutes" or "3 hours", rounded up."""
    text = str(sentence).replace("%(wait)s", _wait_words(retry_after))
    return Problem(429, "too_many_requests", text, retry_after=retry_after)


def _wait_words(seconds: float) -> str:
    minutes = max(1, ceil(seconds / 60))
    if minutes < 60:
        return ngettext("%(count)d minute", "%(count)d minutes", minutes) % {"count": minutes}
    hours = ceil(minutes / 60)
    return ngettext("%(count)d hour", "%(count)d hours", hours) % {"count": hours}
