"""Measures first uses beside the same again: of a process, a sale, a cookie, headers, scripts, log-ins."""

import http.client
import time
from collections.abc import Callable, Iterator
from itertools import count
from statistics import median
from urllib.parse import urlsplit

from lab.bench import reports
from lab.bench.seckill import web_servers
from lab.bench.seckill.case_rounds import Section
from lab.bench.seckill.harness import Bench
from lab.bench.seckill.web_servers import Server

#: Repetitions of a pair, and processes that are started.
TIMES, PROCESSES = 20, 3
#: The one that all know, and those of the uses that need a new one for each pair.
NEW_SALES = 1 + 4 * TIMES
#: What says that a person opens a page.
BROWSER = {"Accept": "text/html", "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate"}
HEAD = ("first use", "first, ms", "again, ms", "ratio", "what it does")
#: Seconds of a first and of a second use.
Pair = tuple[float, float]


class Client:
    """One kept connection to a server, whose answers are timed."""

    def __init__(self, server: Server) -> None:
        address = urlsplit(server.url)
        self._line = http.client.HTTPConnection(str(address.hostname), address.port, timeout=60)
        self._line.connect()

    def time(self, method: str, path: str, wanted: int, **headers: str) -> float:
        """The seconds until the whole answer is read; AssertionError for another status than `wanted`."""
        began = time.perf_counter()
        self._line.request(method, path, headers=headers)
        reply = self._line.getresponse()
        body = reply.read()
        assert reply.status == wanted, f"{method} {path}: {reply.status} {body[:200]!r}"
        return time.perf_counter() - began

    def new_cookie(self, path: str) -> str:
        """The cookie that a page gives a new browser."""
        self._line.request("GET", path, headers=BROWSER)
        reply = self._line.getresponse()
        reply.read()
        return str(reply.headers["Set-Cookie"]).partition(";")[0]


class Uses:
    """The first uses of one site."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self._people = bench, count()
        self._client = Client(bench.web)
        self._sales = iter(bench.ground.sales(NEW_SALES))
        self._sale = next(self._sales)
        self._visitor = self._client.new_cookie(f"/vouchers/{self._sale}/")
        for _ in range(TIMES):
            self._claim()
            self._open()
            self._ask_personal(self._next_token())

    def measure(self) -> Iterator[tuple[str, str, Callable[[], Pair], int]]:
        """Each use: its name, what the first one does, what measures a pair of it, and how often."""
        yield "claim by who was here yesterday", "SQL hears of it behind the answer", self._yesterday, TIMES
        yield (
            "claim by whose log-in Redis forgot",
            "one query, with the others of its moment",
            self._absent,
            TIMES,
        )
        yield "claim on a sale that nobody looked at", "nothing", self._new_sale_claim, TIMES
        yield (
            "claim with headers that nobody sent yet",
            "nothing: a language shares its answers",
            self._new_headers,
            TIMES,
        )
        yield "claim after Redis lost its scripts", "the script is sent again", self._no_scripts, TIMES
        yield "personal part by who was here yesterday", "SQL gives card and counts", self._personal, TIMES
        yield "page of a sale that nobody looked at", "Django renders it", self._new_sale_page, TIMES
        yield "page for a browser without a cookie", "it gets one", self._no_cookie, TIMES
        for name, use in (("page", self._open), ("personal part", self._ask_alone), ("claim", self._claim)):
            yield (
                f"first {name} of a new process",
                "Django and caches warm up",
                self._in_new_process(use),
                PROCESSES,
            )

    def _next_token(self) -> str:
        return self._bench.ground.crowd[next(self._people) % self._bench.ground.people]

    def _claim(
        self, client: Client | None = None, *, sale: int = 0, token: str = "", language: str = "en"
    ) -> float:
        headers = {"Authorization": f"Bearer {token or self._next_token()}", "Accept-Language": language}
        path = f"/api/vouchers/{sale or self._sale}/seckill"
        return (client or self._client).time("POST", path, 201, **headers)

    def _open(self, client: Client | None = None, *, sale: int = 0, is_new: bool = False) -> float:
        known = {} if is_new else {"Cookie": self._visitor}
        path = f"/vouchers/{sale or self._sale}/"
        return (client or self._client).time("GET", path, 200, **BROWSER, **known)

    def _ask_personal(self, token: str, client: Client | None = None) -> float:
        path = f"/api/me/page?sale={self._sale}"
        return (client or self._client).time("GET", path, 200, Authorization=f"Bearer {token}")

    def _ask_alone(self, client: Client | None = None) -> float:
        return self._ask_personal(self._bench.ground.spare[0], client)

    def _yesterday(self) -> Pair:
        self._bench.ground.send_home(self._bench.node)
        token, other = self._next_token(), next(self._sales)
        return self._claim(token=token), self._claim(token=token, sale=other)

    def _absent(self) -> Pair:
        self._bench.ground.forget_copies(self._bench.node)
        token, other = self._next_token(), next(self._sales)
        return self._claim(token=token), self._claim(token=token, sale=other)

    def _new_sale_claim(self) -> Pair:
        sale = next(self._sales)
        return self._claim(sale=sale), self._claim(sale=sale)

    def _new_headers(self) -> Pair:
        language = f"en-US,en;q=0.{next(self._people)}"
        return self._claim(language=language), self._claim(language=language)

    def _no_scripts(self) -> Pair:
        self._bench.node.script_flush()
        return self._claim(), self._claim()

    def _personal(self) -> Pair:
        self._bench.ground.send_home(self._bench.node)
        token = self._next_token()
        return self._ask_personal(token), self._ask_personal(token)

    def _new_sale_page(self) -> Pair:
        sale = next(self._sales)
        return self._open(sale=sale), self._open(sale=sale)

    def _no_cookie(self) -> Pair:
        return self._open(is_new=True), self._open()

    def _in_new_process(self, use: Callable[[Client], float]) -> Callable[[], Pair]:
        def measure() -> Pair:
            with web_servers.run_savor(self._bench.ground.site) as server:
                client = Client(server)
                return use(client), use(client)

        return measure


def measure_first_uses(bench: Bench) -> Section:
    """Measure each first use and the same again, one request at a time."""
    rows = []
    for name, what, measure, times in Uses(bench).measure():
        bench.say(name)
        pairs = [measure() for _ in range(times)]
        first, again = (1_000 * median(each) for each in zip(*pairs, strict=True))
        rows.append([name, f"{first:.1f}", f"{again:.1f}", f"{first / again:.1f}", what])
    about = (
        "One request at a time on a kept connection, each first use followed by the same use again; medians "
        f"of {TIMES} pairs, of {PROCESSES} for new processes. What a crowd of each costs stands at the flash "
        "sale in stock, and at the journey's personal part, mostly first pages."
    )
    return Section("First uses beside the same again", about, reports.markdown_table(HEAD, rows))
