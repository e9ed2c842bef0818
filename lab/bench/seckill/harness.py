"""What all groups of the flash sale's bench share: sizes, the site, its web server, the cases."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property, partial

import redis

from lab.bench.seckill import case_rounds, request_generator, sale_site, web_servers
from lab.bench.seckill.baselines import sale as baseline_sale
from lab.bench.seckill.case_rounds import Case, Measured, PrintLine, Section
from lab.bench.seckill.process_meter import Meter
from lab.bench.seckill.request_generator import RequestPlan
from lab.bench.seckill.sale_site import SaleSite
from lab.bench.seckill.web_servers import ASGI, Server
from lab.load.browsers.file_limit import raise_file_limit
from tests.crowd import people
from tests.crowd.request_templates import Crowd

HELLO_ASGI, HELLO_WSGI = "lab.bench.hello:asgi_application", "lab.bench.hello:application"
HELLO = "granian hello world, ASGI"
#: When a crowd was here before a round; see `Bench.in_stock`.
YESTERDAY, JUST_NOW, FORGOTTEN = "yesterday", "just now", "forgotten"
#: Open files beside those of a crowd: the server's own, and Redis's.
COMPARED_CONNECTIONS = 512


@dataclass(frozen=True)
class Sizes:
    """How much a run does; seconds of a round are whole ones."""

    people: int = 30_000
    seconds: int = 3
    rounds: int = 5
    #: Rounds of less important measurements.
    few_rounds: int = 3
    persist_seconds: int = 60
    crowds: tuple[int, ...] = (1_000, 5_000)
    crowd_seconds: int = 10
    buyers: int = 1_000_000
    sales: int = 1_000
    accounts: int = 1_000_000
    shops: int = 200


#: Enough to see that everything still works; its figures mean nothing.
FAST = Sizes(
    people=4_000, seconds=1, rounds=1, few_rounds=1, persist_seconds=3, crowds=(100,), crowd_seconds=2,
    buyers=10_000, sales=40, accounts=20_000, shops=50,
)  # fmt: skip


class Bench(ExitStack):
    """One run of the bench: the servers it starts stay up until the run ends."""

    def __init__(self, sizes: Sizes, say: PrintLine) -> None:
        super().__init__()
        self.sizes, self.say = sizes, say
        #: Open files that a process may have; the servers inherit it.
        self.descriptors = raise_file_limit()

    @cached_property
    def ground(self) -> SaleSite:
        """The site that all groups share, started at first use."""
        self.say(f"a site with {self.sizes.people:,} people and {self.sizes.shops:,} shops")
        made = self.enter_context(sale_site.run_site(self.sizes.people, self.sizes.shops))
        baseline_sale.create_log_ins(self.connect(made), made.crowd)
        return made

    @cached_property
    def node(self) -> redis.Redis:
        """A client of the site's Redis, independent of the application."""
        return self.connect(self.ground)

    @cached_property
    def web(self) -> Server:
        """The site's web server, as in the Procfile."""
        return self.enter_context(web_servers.run_savor(self.ground.site))

    @cached_property
    def hello(self) -> Server:
        """The hello world (ASGI) to which every server is compared."""
        return self.enter_context(web_servers.run_granian(self.ground.site, HELLO_ASGI, ASGI))

    def connect(self, ground: SaleSite) -> redis.Redis:
        """Return a Redis client that is closed at the end of the run."""
        connected = redis.Redis.from_url(
            ground.redis_url, decode_responses=True, protocol=2, socket_timeout=120
        )
        self.callback(connected.close)
        return connected

    def meter(self, server: Server, consumer: int = 0) -> Meter:
        """Return a meter of a server's processes and the site's Redis."""
        return Meter(server.group, (self.node,), consumer)

    def bare(self, server: Server, name: str = HELLO) -> Case:
        """Build a case for a server that only answers, to the bare bearer."""
        aim = partial(self.ground.aim, server, [1], self.sizes.seconds, crowd=people.BARE_BEARER)
        return Case(name, self.meter(server), aim)

    def in_stock(
        self,
        name: str,
        server: Server,
        *,
        seconds: int = 0,
        connections: int = 64,
        stock: int = 0,
        crowd: Crowd | None = None,
        prepare: Callable[[list[int]], object] = lambda sales: None,
        before: str = YESTERDAY,
    ) -> Case:
        """Build a case in which every claim gets a unit: no pair of person and sale repeats.

        `before` says when the crowd was here before: YESTERDAY, JUST_NOW, or so long ago that Redis has
        FORGOTTEN it.

        The crowd is a mixed one unless it is given. Each sale has a unit for everybody unless `stock` is
        given; `prepare` gets the round's sales. The round's orders are deleted afterwards.
        """
        length = seconds or self.sizes.seconds

        def aim() -> RequestPlan:
            sales = self.ground.fresh(length, stock=stock)
            prepare(sales)
            self.arrive(before)
            return self.ground.aim(server, sales, length, connections, crowd=crowd)

        settle = self.ground.await_renewals
        return Case(name, self.meter(server), aim, after=self._forget, settle=settle)

    def arrive(self, before: str) -> None:
        """Set when the crowd was here before."""
        if before == YESTERDAY:
            self.ground.send_home(self.node)
        elif before == FORGOTTEN:
            self.ground.forget_copies(self.node)

    def measure(self, *cases: Case, rounds: int = 0) -> list[Measured]:
        """Run the cases in turn, round by round."""
        return case_rounds.measure(cases, rounds or self.sizes.rounds, self.say)

    def section(
        self, title: str, measured: list[Measured], about: str, *bars: case_rounds.Requirement
    ) -> Section:
        """Return a section with a table, its explanation and the requirements."""
        others = f"Neighbours had {case_rounds.other_cores(measured)} cores meanwhile."
        table = case_rounds.table_rows(measured)
        return Section(title, f"{about} {others}", table, [*bars, case_rounds.documented(measured)])

    def _forget(self, aim: RequestPlan) -> None:
        sale_site.delete_sale_keys(self.node, aim.sales)


def describe_round(sizes: Sizes) -> str:
    """Describe the length of the rounds and the generator, in words."""
    return f"rounds of {sizes.seconds} s in turn, medians; generator: {request_generator.generator_name()}"
