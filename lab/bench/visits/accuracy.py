"""Measures how far a HyperLogLog is off at growing numbers of synthetic visitors: `make bench-accuracy`."""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import cast

import redis

from apps.demo import embedded_redis

#: 1.04 / sqrt(16,384 registers): Flajolet, Fusy, Gandouet and Meunier, 2007.
STANDARD_ERROR = 1.04 / 16_384**0.5
#: One estimate in 370 is further off by chance.
MAX_ERROR = 3 * STANDARD_ERROR
#: Hashing and sending a thousand million takes half an hour; more would only take longer.
MIN_VISITORS, MAX_VISITORS = 1_000, 1_000_000_000
#: Visitors sent in one call, and those put into a SET to weigh it.
BATCH_VISITORS, SET_SAMPLE_SIZE = 10_000, 10_000
#: Keys on a server of the bench.
COUNTED, WEIGHED = "bench:visitors", "bench:visitors-set"
COLUMN_TITLES = ("visitors", "estimate", "error", "in standard errors", "HyperLogLog", "a SET", "seconds")
ROW_FORMAT = "{:>12} {:>12} {:>9} {:>19} {:>13} {:>13} {:>9}"


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

    def as_row(self) -> str:
        """The measurement as a line under COLUMN_TITLES."""
        errors = f"{self.error / STANDARD_ERROR:+.2f}"
        sizes = [f"{size / 1024:,.1f} KB" for size in (self.bytes, self.set_bytes)]
        counts = (f"{self.truth:,}", f"{self.estimate:,}", f"{self.error:+.3%}")
        return ROW_FORMAT.format(*counts, errors, *sizes, f"{self.seconds:.2f}")


def main(words: Sequence[str], environ: Mapping[str, str]) -> int:
    """Measure on a Redis of its own and print each row as it comes; 1 when an estimate is far off."""
    options = parse_options(words, environ)
    print(f"One standard error of a HyperLogLog is {STANDARD_ERROR:.2%}.")
    print(ROW_FORMAT.format(*COLUMN_TITLES))
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as directory:
        server = embedded_redis.start(Path(directory))
        try:
            with redis.Redis.from_url(server.url) as connected:
                for one in measure(connected, options.visitors, seed=options.seed):
                    print(one.as_row(), flush=True)
                    wrong += not one.is_right
        finally:
            server.stop()
    if wrong:
        print(f"{wrong} of these are off by more than {MAX_ERROR:.2%}", file=sys.stderr)
    return int(wrong > 0)


def parse_options(words: Sequence[str], environ: Mapping[str, str]) -> argparse.Namespace:
    """Return the options; make variables are their defaults. Exits with 2 and a sentence on wrong ones."""
    parser = argparse.ArgumentParser("make bench-accuracy", description=__doc__)
    visitors, seed = environ.get("VISITORS") or 1_000_000, environ.get("SEED") or 0
    parser.add_argument("--visitors", type=int, default=visitors, help="1,000 at least (1,000,000)")
    parser.add_argument("--seed", type=int, default=seed, help="another seed makes other visitors (0)")
    options = parser.parse_args(words)
    if not MIN_VISITORS <= options.visitors <= MAX_VISITORS:
        parser.error(f"--visitors takes {MIN_VISITORS:,} to {MAX_VISITORS:,}")
    return options


def measure(connected: redis.Redis, visitors: int, *, seed: int) -> Iterator[Measurement]:
    """Add visitors 1 to `visitors` and measure at 1,000, 10,000 … and the last; deletes its keys."""
    try:
        a_member = _bytes_per_set_member(connected, seed)
        began, done = time.perf_counter(), 0
        for truth in _checkpoints(visitors):
            for first in range(done, truth, BATCH_VISITORS):
                connected.pfadd(COUNTED, *_synthetic_digests(seed, first, min(first + BATCH_VISITORS, truth)))
            done = truth
            yield _measure_once(connected, truth, a_member, time.perf_counter() - began)
    finally:
        connected.delete(COUNTED, WEIGHED)


def _checkpoints(visitors: int) -> list[int]:
    powers = [10**power for power in range(3, 19) if 10**power < visitors]
    return [*powers, visitors]


def _synthetic_digests(seed: int, first: int, end: int) -> list[str]:
    """Digests of made-up visitors, 32 hexadecimal digits each, as Redis gets of real ones."""
    return [blake2b(f"{seed}:{number}".encode(), digest_size=16).hexdigest() for number in range(first, end)]


def _bytes_per_set_member(connected: redis.Redis, seed: int) -> float:
    """Bytes that one visitor takes in a SET."""
    connected.sadd(WEIGHED, *_synthetic_digests(seed, 0, SET_SAMPLE_SIZE))
    return _memory_usage(connected, WEIGHED) / SET_SAMPLE_SIZE


def _measure_once(connected: redis.Redis, truth: int, a_member: float, seconds: float) -> Measurement:
    estimate = connected.pfcount(COUNTED)
    return Measurement(truth, estimate, _memory_usage(connected, COUNTED), round(truth * a_member), seconds)


def _memory_usage(connected: redis.Redis, key: str) -> int:
    return cast(int, connected.memory_usage(key, samples=0))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
