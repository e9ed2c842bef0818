"""One run: people and a sale, the crowd, the wait for the last row, the verdict."""

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import sites
from tests.books import Books
from tests.load import ceiling, crews, stage
from tests.load.buyers import Crowd
from tests.load.options import Options, Refusal
from tests.load.result import Reading, Result

#: Patience with the consumers after the last answer.
DRAIN_SECONDS = 120.0
#: How often the screen, SQL and Redis are looked at.
LOOK_SECONDS = 0.5

Watch = Callable[[Reading], object]
Say = Callable[[str], object]


@contextmanager
def site(options: Options) -> Iterator[sites.Site]:
    """The site under load: a running demo, or a private one that is gone afterwards."""
    if options.url:
        running = sites.Site(Path(options.environment()["VAR_DIR"]))
        running.environment |= options.environment()
        running.base_url = options.url.rstrip("/")
        if not running.answers():
            raise Refusal(f"{options.url} doesn't answer: start it with 'make demo', or leave URL out")
        yield running
        return
    with tempfile.TemporaryDirectory(prefix="savor-load-") as directory:
        numbers = {"WEB_WORKERS": str(options.web_workers), "CONSUMERS": str(options.consumers)}
        database = {"DATABASE_URL": options.database} if options.database else {}
        private = sites.Site(Path(directory))
        private.environment |= numbers | database
        with private:
            private.start("web", "consumer")
            yield private


def run(options: Options, *, say: Say, watch: Watch) -> Result:
    """The whole run; Ctrl-C once ends the load early and the verdict is given on what there was."""
    say("Measuring the generator alone …")
    top = ceiling.measure(processes=options.processes, connections=options.concurrency)
    say("Starting the site …" if not options.url else f"Driving {options.url} …")
    with site(options) as target:
        say(f"Making {options.users:,} people and {options.stock:,} units …")
        crowd = _crowd(target, options)
        books = _books(target)
        with crews.running(crowd, options.processes) as busy:
            seconds = _drive(busy, books, crowd.voucher_id, watch)
        if busy.failed:
            raise Refusal("a process of the load generator died: see above")
        say("Waiting for the last row …")
        drained = _drain(books, crowd.voucher_id)
        verdict = stage.judge(
            target,
            books,
            voucher_id=crowd.voucher_id,
            stock=options.stock,
            tally=busy.tally,
            buyers=books.load_people(options.users),
        )
        return Result(busy.tally, seconds, drained, busy.cpu / seconds, top, verdict)


def _crowd(target: sites.Site, options: Options) -> Crowd:
    tokens = stage.people(target, options.users)
    lasts = 3_600 + (options.duration or 0)
    voucher_id = stage.sale(target, stock=options.stock, lasts=lasts)
    return Crowd(
        target.base_url, voucher_id, tokens, connections=options.concurrency, duration=options.duration
    )


def _books(target: sites.Site) -> Books:
    where = target.environment
    return Books(database_url=where["DATABASE_URL"], redis_url=where["REDIS_URL"] or target.redis_url)


def _drive(busy: crews.Crews, books: Books, voucher_id: int, watch: Watch) -> float:
    """Until the crowd is done; the seconds it took."""
    began = last = time.perf_counter()
    seen = 0
    with contextlib.suppress(KeyboardInterrupt):
        while not busy.done:
            time.sleep(LOOK_SECONDS)
            busy.collect()
            now = time.perf_counter()
            rate, seen, last = (busy.tally.answers - seen) / (now - last), busy.tally.answers, now
            stock, rows = books.stock(voucher_id), books.rows(voucher_id)
            watch(Reading(now - began, busy.tally, rate, busy.in_flight, stock, rows))
    busy.stop()
    _collect_rest(busy)
    return busy.seconds or time.perf_counter() - began


def _collect_rest(busy: crews.Crews) -> None:
    ends = time.monotonic() + 15
    while not busy.done and time.monotonic() < ends:
        time.sleep(0.05)
        busy.collect()
    busy.collect()


def _drain(books: Books, voucher_id: int) -> float:
    """Seconds until nothing waits in the sale's stream."""
    began = time.perf_counter()
    while books.waiting(voucher_id) and time.perf_counter() - began < DRAIN_SECONDS:
        time.sleep(0.02)
    return time.perf_counter() - began
