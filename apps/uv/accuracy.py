"""Measures the error of a HyperLogLog against a known number of visitors."""

import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b
from typing import cast

import redis

from apps.uv import keys

#: 1.04 / sqrt(16,384 registers): Flajolet, Fusy, Gandouet and Meunier, 2007.
STANDARD_ERROR = 1.04 / 16_384**0.5
#: One estimate in 370 is further off by chance.
MAX_ERROR = 3 * STANDARD_ERROR
MIN_VISITORS = 1_000
#: Visitors sent in one call, and those put into a SET to weigh it.
BATCH_VISITORS, SET_SAMPLE_SIZE = 10_000, 10_000
_KEY_TTL = timedelta(minutes=10)


@dataclass(frozen=True)
class Measurement:
    """After `truth` visitors: the estimate, bytes of the HyperLogLog, bytes a SET would take, seconds."""

    truth: int
    estimate: int
    bytes: int
    set_bytes: int
    seconds: float

    @property
    def error(self) -> float:
        return self.estimate / self.truth - 1

    @property
    def is_right(self) -> bool:
        return abs(self.error) <= MAX_ERROR


def measure(connected: redis.Redis, visitors: int, *, seed: int) -> Iterator[Measurement]:
    """Add visitors 1 to `visitors` and measure at 1,000, 10,000 … and the last; deletes its keys."""
    run = secrets.token_hex(8)
    counted, weighed = keys.ACCURACY(run=run), keys.ACCURACY_SET(run=run)
    try:
        a_member = _bytes_per_set_member(connected, weighed, seed)
        began, done = time.perf_counter(), 0
        for truth in _checkpoints(visitors):
            for first in range(done, truth, BATCH_VISITORS):
                connected.pfadd(counted, *_synthetic_digests(seed, first, min(first + BATCH_VISITORS, truth)))
                connected.expire(counted, _KEY_TTL)
            done = truth
            yield _measure_once(connected, counted, truth, a_member, time.perf_counter() - began)
    finally:
        connected.delete(counted)
        connected.delete(weighed)


def _checkpoints(visitors: int) -> list[int]:
    powers = [10**power for power in range(3, 19) if 10**power < visitors]
    return [*powers, visitors]


def _synthetic_digests(seed: int, first: int, end: int) -> list[str]:
    """Digests of made-up visitors, 32 hexadecimal digits each, as Redis gets of real ones."""
    return [blake2b(f"{seed}:{number}".encode(), digest_size=16).hexdigest() for number in range(first, end)]


def _bytes_per_set_member(connected: redis.Redis, key: str, seed: int) -> float:
    """Bytes that one visitor takes in a SET."""
    connected.sadd(key, *_synthetic_digests(seed, 0, SET_SAMPLE_SIZE))
    connected.expire(key, _KEY_TTL)
    return _memory_usage(connected, key) / SET_SAMPLE_SIZE


def _measure_once(
    connected: redis.Redis, key: str, truth: int, a_member: float, seconds: float
) -> Measurement:
    estimate = connected.pfcount(key)
    return Measurement(truth, estimate, _memory_usage(connected, key), round(truth * a_member), seconds)


def _memory_usage(connected: redis.Redis, key: str) -> int:
    return cast(int, connected.memory_usage(key, samples=0))
