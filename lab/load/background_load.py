"""A mass of requests beside the measured people, from wrk or, without it, from the lab's own generator.

It counts answers without recording buyers, so the verdict knows only how many orders it was promised.
"""

import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.bench.seckill import request_generator
from lab.bench.seckill.request_generator import RequestPlan, RequestResults
from lab.load.options import Options
from tests.crowd.site_setup import Sales
from tests.sites import Site


@dataclass
class BackgroundLoad:
    """The background requests of one run; does nothing without a plan (`aim`)."""

    aim: RequestPlan | None = None
    shot: RequestResults = field(default_factory=RequestResults)
    _under_way: "Future[RequestResults] | None" = None

    def go(self, seconds: float) -> None:
        """Send requests for so many seconds, in a thread."""
        if self.aim:
            aim = RequestPlan(**(vars(self.aim) | {"seconds": max(1, round(seconds))}))
            self._under_way = ThreadPoolExecutor(1).submit(request_generator.run_requests, aim)

    def settle(self) -> None:
        """Wait for the end."""
        if self._under_way:
            self.shot = self._under_way.result()

    @property
    def promised(self) -> int:
        """Orders that were promised to it."""
        return self.shot.promised

    def as_dict(self) -> dict[str, Any]:
        """The figures as Part.as_dict has them; {} when there was none. wrk records no 95th percentile."""
        if not self.aim:
            return {}
        return {
            "name": f"crush ({'wrk' if request_generator.WRK else 'Python'})",
            "answers": self.shot.answers,
            "seconds": round(self.shot.seconds, 2),
            "requests_per_second": round(self.shot.rate(), 1),
            "p50_ms": round(self.shot.p50, 2),
            "p95_ms": None,
            "p99_ms": round(self.shot.p99, 2),
            "by_code": dict(self.shot.codes.most_common()),
        }


@contextmanager
def prepare(options: Options, target: Site, tokens: Sequence[str], made: Sales) -> Iterator[BackgroundLoad]:
    """Yield the background load, with a temporary file of its own people's tokens."""
    if not options.crush:
        yield BackgroundLoad()
        return
    with tempfile.NamedTemporaryFile("w", prefix="savor-crush-") as people:
        people.write("\n".join(tokens[options.users + options.bots :]))
        people.flush()
        sales, path = made.voucher_ids, Path(people.name)
        yield BackgroundLoad(
            RequestPlan(target.base_url, sales, path, "crush", connections=options.crush, spread=True)
        )
