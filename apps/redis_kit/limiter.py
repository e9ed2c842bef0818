"""Exact sliding windows: at most `allowed` hits in any stretch of `period`, by the server's clock.

    BY_PHONE = limiter.Limit(name="code_phone", family="code", allowed=5, period=timedelta(hours=1))
    verdict = limiter.hit([(BY_PHONE, phone), (BY_IP, ip)])

One call is one round trip: either every limit is charged or, when one refuses, none is, and a refused
attempt costs nothing. Limits checked together need one `family`, which is their cluster slot. When Redis
is away the call raises client.UNAVAILABLE: the caller decides whether it then allows or refuses.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from apps.redis_kit import client, keys, scripts
from apps.redis_kit.transport import AsyncTransport

MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A named limit: `allowed` hits in any stretch of `period`. Names and families are never user input."""

    name: str
    allowed: int
    period: timedelta
    family: str = "site"

    def __post_init__(self) -> None:
        if self.allowed < 1 or self.period < MILLISECOND:
            raise ValueError(f"limit {self.name}: allowed and period must be positive")


@dataclass(frozen=True)
class Verdict:
    """Whether the attempt may go on; if not, `name` is the limit that refused, `retry_after` in seconds."""

    allowed: bool
    retry_after: int = 0
    name: str = ""


class Count(NamedTuple):
    """A limit that has counted an attempt: hits that are left, seconds to wait where it has refused."""

    limit: Limit
    left: int
    retry_after: int = 0


ALLOWED = Verdict(allowed=True)

Checks = Sequence[tuple[Limit, str | int]]


#: The number of a refused attempt, the number of the limit that refuses it, milliseconds to wait.
Refusal = tuple[int, int, int]


def _parse_refusals(raw: Sequence[int]) -> list[Refusal]:
    return list(zip(raw[::3], raw[1::3], raw[2::3], strict=True))


HIT = scripts.Script("hit_limits", package="apps.redis_kit", reply=_parse_refusals)


#: The counts of whoever watches in this thread, or task.
_watched: ContextVar[list[Count] | None] = ContextVar("watched_limits", default=None)


@contextmanager
def watch(*, is_on: bool = True) -> Iterator[list[Count]]:
    """Inside, the list is filled with the limits that `hit` charges; with `is_on` false nobody watches."""
    counts: list[Count] = []
    before = _watched.set(counts if is_on else None)
    try:
        yield counts
    finally:
        _watched.reset(before)


def note(*counts: Count) -> None:
    """Tell whoever watches of limits that have counted."""
    watched = _watched.get()
    if watched is not None:
        watched += counts


def hit(checks: Checks, cost: int = 1) -> Verdict:
    """Charge every limit for its subject, or none of them when one refuses; atomic."""
    return _check(checks, cost=cost, consume=True)


def peek(checks: Checks, cost: int = 1) -> Verdict:
    """The verdict that `hit` would give, without charging."""
    return _check(checks, cost=cost, consume=False)


def reset(limit: Limit, subject: str | int) -> None:
    """Forget the hits of one subject, for example after a successful log-in."""
    client.get().delete(build_key(limit, subject))


def build_key(limit: Limit, subject: str | int) -> str:
    """The key of a subject's hits: a row's id as it is, text as a digest, so that no phone is in a key."""
    return keys.LIMIT(family=limit.family, name=limit.name, subject=_subject_part(subject))


async def ahit(transport: AsyncTransport, limit: Limit, subjects: Sequence[str | int]) -> list[Verdict]:
    """Charge one hit to each of many subjects in one call; a verdict for each, in their order."""
    (refusals,) = await HIT.acall_many(transport, [build_hit_call(limit, subjects)])
    return parse_verdicts([limit], len(subjects), refusals)


def build_hit_call(limit: Limit, subjects: Sequence[str | int]) -> scripts.Call:
    """(keys, args) of the script HIT that charges one hit to each subject."""
    parts = [_subject_part(subject) for subject in subjects]
    windows = keys.LIMIT.build_many("subject", parts, family=limit.family, name=limit.name)
    return windows, _hit_args([limit], cost=1, consume=True)


def prepare_hits(limit: Limit) -> tuple[Callable[[Sequence[str]], list[str]], list[scripts.Arg]]:
    """(what builds the keys of rows' hits from their ids, args) for a script that has HIT as a part: it
    charges later.
    """
    build_keys = partial(keys.LIMIT.build_many, "subject", family=limit.family, name=limit.name)
    return build_keys, _hit_args([limit], cost=1, consume=False)


def _subject_part(subject: str | int) -> str:
    if isinstance(subject, int):
        return str(subject)
    return hashlib.sha256(subject.encode(errors="surrogatepass")).hexdigest()[:24]


def _check(checks: Checks, *, cost: int, consume: bool) -> Verdict:
    limits = [limit for limit, _ in checks]
    if len({limit.family for limit in limits}) != 1:
        raise ValueError("limits checked together need one family, so that they share a slot")
    if not 1 <= cost <= min(limit.allowed for limit in limits):
        raise ValueError(f"cost {cost} can never be allowed")
    args = _hit_args(limits, cost=cost, consume=consume)
    if consume and _watched.get() is not None:
        args[1] = 2
    answers = HIT(client.get(), keys=[build_key(*pair) for pair in checks], args=args)
    verdict = parse_verdicts(limits, 1, [answer for answer in answers if answer[0]])[0]
    charged = [(limits[number - 1], left) for attempt, number, left in answers if not attempt]
    note(*(Count(one, left, verdict.retry_after * (one.name == verdict.name)) for one, left in charged))
    return verdict


def parse_verdicts(limits: Sequence[Limit], attempts: int, refusals: Sequence[Refusal]) -> list[Verdict]:
    """A verdict for each attempt, from HIT's reply."""
    verdicts = [ALLOWED] * attempts
    for attempt, limit, wait_ms in refusals:
        wait = max(1, -(-wait_ms // 1000))
        verdicts[attempt - 1] = Verdict(allowed=False, retry_after=wait, name=limits[limit - 1].name)
    return verdicts


def _hit_args(limits: Sequence[Limit], *, cost: int, consume: bool) -> list[scripts.Arg]:
    args: list[scripts.Arg] = [cost, int(consume)]
    for limit in limits:
        args += [limit.allowed, limit.period // MILLISECOND]
    return args
