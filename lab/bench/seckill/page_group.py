"""Measures a Django page on the flash sale's ASGI server against granian's WSGI."""

from functools import partial

from lab.bench.seckill import case_rounds, web_servers
from lab.bench.seckill.case_rounds import Case, Section
from lab.bench.seckill.harness import Bench, describe_round
from lab.bench.seckill.request_generator import RequestPlan
from lab.bench.seckill.web_servers import WSGI, Server
from tests.crowd import people

#: Connections: a page is slow, and a longer queue would only wait.
READERS = 8
MAX_COST_RATIO = 1.25


def measure_pages(bench: Bench) -> Section:
    """Measure a logged-in reader's shop page through the event loop's bridge and by WSGI."""
    shop = bench.ground.books.select("SELECT min(id) FROM shops_shop WHERE is_listed")[0][0]
    wsgi = bench.enter_context(web_servers.run_granian(bench.ground.site, "config.wsgi:application", WSGI))
    bridged, plain = bench.measure(
        *(
            Case(name, bench.meter(server), partial(_reading, bench, server, f"/shops/{shop}/"), "200")
            for name, server in (("this site's server", bench.web), ("granian, WSGI", wsgi))
        ),
        rounds=bench.sizes.few_rounds,
    )
    ratio = bridged.web / plain.web
    bars = [case_rounds.at_most("processor time of a page against WSGI", ratio, MAX_COST_RATIO)]
    about = (
        f"A shop's page, logged in, {READERS} connections; {describe_round(bench.sizes)}. This "
        f"site's server is "
        "uvicorn with Django's WSGI handler behind our bridge; beside it the same application "
        "under granian's WSGI."
    )
    return bench.section(
        "A page of Django through the server of the flash sale", [bridged, plain], about, *bars
    )


def _reading(bench: Bench, server: Server, path: str) -> RequestPlan:
    tokens = bench.ground.tokens
    return RequestPlan(server.url, [0], tokens, "", READERS, bench.sizes.seconds, crowd=people.readers(path))
