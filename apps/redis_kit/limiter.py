"""Exact sliding windows: at most `allowed` hits in any stretch of `period`, by the server's clock.

    BY_PHONE = limiter.Limit(name="code_phone", family="code", allowed=5, period=timedelta(hours=1))
    verdict = limiter.hit([(BY_PHONE, phone), (BY_IP, ip)])

One call is one round trip: either every limit is charged or, when one refuses, none is, and a refused
attempt costs nothing. Limits asked together need one `family`, which is their cluster slot. When Redis
is away the call raises `client.UNAVAILABLE`: the caller decides whether its door then opens or closes.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from apps.redis_kit import client, keys, scripts
from apps.redis_kit.transport import AsyncTransport

MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A named limit; names and families are words of ours, never user input."""

    name: str
    allowed: int
    period: timedelta
    family: str = "site"

    def __post_init__(self) -> None:
        if self.allowed < 1 or self.period < MILLISECOND:
            raise ValueError(f"limit {self.name}: allowed and period must be positive")


@dataclass(frozen=True)
class Verdict:
    """Whether the attempt may go on; if not, which limit refused and for how many whole seconds."""

    allowed: bool
    retry_after: int = 0
    name: str = ""


ALLOWED = Verdict(allowed=True)

Checks = Sequence[tuple[Limit, str | int]]


#: An attempt's number, the place of the limit that refuses it, milliseconds; both count from 1.
Refusal = tuple[int, int, int]


def _parse_refusals(raw: Sequence[int]) -> list[Refusal]:
    return list(zip(raw[::3], raw[1::3], raw[2::3], strict=True))


HIT = scripts.Script("hit_limits", package="apps.redis_kit", reply=_parse_refusals)


def hit(asked: Checks, cost: int = 1) -> Verdict:
    """Charge every limit for its subject, or none of them when one refuses; atomic."""
    return _check(asked, cost=cost, consume=True)


def peek(asked: Checks, cost: int = 1) -> Verdict:
    """What `hit` would answer, without charging."""
    return _check(asked, cost=cost, consume=False)


def reset(limit: Limit, subject: str | int) -> None:
    """Forget the hits of one subject, say after a successful log-in."""
    client.get().delete(build_key(limit, subject))


def build_key(limit: Limit, subject: str | int) -> str:
    """A number of ours goes in as it is, others as a digest: phones don't belong in key names."""
    return keys.LIMIT(family=limit.family, name=limit.name, subject=_subject_part(subject))


async def ahit(transport: AsyncTransport, limit: Limit, subjects: Sequence[str | int]) -> list[Verdict]:
    """One hit each of many subjects, decided each by itself, in one call: they share the family's slot."""
    (refusals,) = await HIT.acall_many(transport, [build_hit_call(limit, subjects)])
    return parse_verdicts([limit], len(subjects), refusals)


def build_hit_call(limit: Limit, subjects: Sequence[str | int]) -> scripts.Call:
    """(keys, args) of HIT: one hit each of many subjects."""
    words = [_subject_part(subject) for subject in subjects]
    called = keys.LIMIT.build_many("subject", words, family=limit.family, name=limit.name)
    return called, _hit_args([limit], cost=1, consume=True)


def _subject_part(subject: str | int) -> str:
    if isinstance(subject, int):
        return str(subject)
    return hashlib.sha256(subject.encode(errors="surrogatepass")).hexdigest()[:24]


def _check(asked: Checks, *, cost: int, consume: bool) -> Verdict:
    limits = [limit for limit, _ in asked]
    if len({limit.family for limit in limits}) != 1:
        raise ValueError("limits asked together need one family, so that they share a slot")
    if not 1 <= cost <= min(limit.allowed for limit in limits):
        raise ValueError(f"cost {cost} can never be allowed")
    args = _hit_args(limits, cost=cost, consume=consume)
    refusals = HIT(client.get(), keys=[build_key(*pair) for pair in asked], args=args)
    return parse_verdicts(limits, 1, refusals)[0]


def parse_verdicts(limits: Sequence[Limit], attempts: int, refusals: Sequence[Refusal]) -> list[Verdict]:
    """What HIT's answer means for each attempt."""
    verdicts = [ALLOWED] * attempts
    for number, place, wait_ms in refusals:
        wait = max(1, -(-wait_ms // 1000))
        verdicts[number - 1] = Verdict(allowed=False, retry_after=wait, name=limits[place - 1].name)
    return verdicts


def _hit_args(limits: Sequence[Limit], *, cost: int, consume: bool) -> list[scripts.Arg]:
    args: list[scripts.Arg] = [cost, int(consume)]
    for limit in limits:
        args += [limit.allowed, limit.period // MILLISECOND]
    return args
