"""Fails a test that leaves a key outside the declared schema, of another type, or without its expiry."""

import redis
from django.conf import settings

from apps.redis_kit import schema

#: Prefix of the keys of Django's cache and sessions, whose names the framework chooses.
DJANGO_PREFIX = f"{settings.REDIS_PREFIX}:django:"


def assert_declared(connected: redis.Redis) -> None:
    """Raise AssertionError with every key that breaks its declaration."""
    found = [str(raw) for raw in connected.scan_iter(count=1000) if not str(raw).startswith(DJANGO_PREFIX)]
    with connected.pipeline(transaction=False) as pipe:
        for raw in found:
            pipe.type(raw)
            pipe.pttl(raw)
        answers = pipe.execute()
    wrong = map(_violation, found, answers[::2], answers[1::2])
    complaints = [complaint for complaint in wrong if complaint]
    assert not complaints, "Redis keys outside their declaration:\n  " + "\n  ".join(sorted(complaints))


def _violation(raw: str, kind: str, ttl: int) -> str:
    declared = schema.match(raw)
    if declared is None:
        return f"{raw} ({kind}): declared in no keys.py"
    if kind not in (declared.type, "none"):
        return f"{raw}: is a {kind}, declared as {declared.type}"
    if ttl == -1 and not declared.expiry.startswith("none"):
        return f"{raw}: has no expiry, declared with {declared.expiry!r}"
    return ""
