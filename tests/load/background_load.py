"""The mass beside the people: wrk, which costs next to nothing, or the lab's own generator without it.

It counts answers and remembers nobody, so the verdict knows only how many orders it was promised.
"""

import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.seckill import request_generator
from tests.bench.seckill.request_generator import RequestPlan, RequestResults
from tests.load.options import Options
from tests.load.site_setup import Sales
from tests.sites import Site


@dataclass
class BackgroundLoad:
    """Nobody, unless it has an aim."""

    aim: RequestPlan | None = None
    shot: RequestResults = field(default_factory=RequestResults)
    _under_way: "Future[RequestResults] | None" = None

    def go(self, seconds: float) -> None:
        """Press for so long, in a thread."""
        if self.aim:
            aim = RequestPlan(**(vars(self.aim) | {"seconds": max(1, round(seconds))}))
            self._under_way = ThreadPoolExecutor(1).submit(request_generator.run_requests, aim)

    def settle(self) -> None:
        """Wait for the end."""
        if self._under_way:
            self.shot = self._under_way.result()

    @property
    def promised(self) -> int:
        """Orders that it was told of."""
        return self.shot.promised

    def as_dict(self) -> dict[str, Any]:
        """As Part.as_dict; {} when there was none. wrk keeps no 95th percentile."""
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
    """The crush with people of its own, in a file that is gone afterwards."""
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
