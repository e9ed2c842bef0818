"""Runs the measurements of lab.bench.visits; the report goes to standard output."""

import socket
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any
from wsgiref.util import setup_testing_defaults

import django

django.setup()

from django.conf import settings  # noqa: E402 - models need the settings
from django.contrib.auth.models import AnonymousUser  # noqa: E402
from django.core.handlers.wsgi import WSGIHandler  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.test import RequestFactory, override_settings  # noqa: E402
from django.urls import resolve  # noqa: E402

from apps.redis_kit import breaker, client  # noqa: E402
from apps.uv import counting, visitors  # noqa: E402
from apps.uv.middleware import VisitMiddleware  # noqa: E402
from apps.uv.page_kinds import Scope  # noqa: E402
from lab.bench import reports  # noqa: E402
from lab.bench.visits import accuracy  # noqa: E402
from tests.shops import makers  # noqa: E402
from tests.uv.browsing import AGENT  # noqa: E402

ROUNDS, CALLS = 300, 3_000
MIDDLEWARE = "apps.uv.middleware.VisitMiddleware"
VISITORS = 1_000_000
Times = list[float]
Clock = Callable[[], float]


def main() -> None:
    shops = makers.shops(40)
    makers.commit_and_index()
    pages = {"a shop": shops[0].get_absolute_url(), "the home page": "/", "the log-in": "/login/"}
    rows = [row(name, *compare_page(path)) for name, path in pages.items()]
    head = ("page", "without, p50 ms", "with, to the last byte", "ratio", "with, counted too", "ratio")
    print(
        f"## Visits\n\n{reports.describe_machine('django', 'redis')}, SQLite. {ROUNDS:,} "
        f"rounds, every case in each."
    )
    print("Processor time, since the clock on the wall measures the neighbours too.\n")
    print(reports.markdown_table(head, rows))
    print(f"\n{measure_calls()}\n\n{measure_frozen_redis(pages['the log-in'])}\n\n{accuracy_table()}")


def handler(*, counts: bool) -> WSGIHandler:
    """Return Django's WSGI handler with all middleware, or with all but the visit counter."""
    kept = [name for name in settings.MIDDLEWARE if counts or name != MIDDLEWARE]
    with override_settings(MIDDLEWARE=kept):
        return WSGIHandler()


def time_view(serve: WSGIHandler, path: str, own: Clock, whole: Clock) -> tuple[float, float]:
    """Return (time until the last byte, by the clock `own`; time until the view is counted, by `whole`)."""
    cookie = f"{visitors.COOKIE_NAME}={visitors.new_value()}"
    environ: dict[str, Any] = {"HTTP_USER_AGENT": AGENT, "HTTP_COOKIE": cookie}
    environ |= {"PATH_INFO": path}
    setup_testing_defaults(environ)
    began = own(), whole()
    answer = serve(environ, lambda *_: lambda _: None)
    size = sum(map(len, answer))
    sent = own()
    answer.close()
    counting.flush()
    assert size > 1_000
    return (sent - began[0]) * 1_000, (whole() - began[1]) * 1_000


def compare_page(path: str) -> tuple[Times, Times, Times]:
    """Compare CPU times: without the counter, with it until the last byte, and until the view is counted."""
    cost = partial(time_view, path=path, own=time.thread_time, whole=time.process_time)
    plain, counting_too = handler(counts=False), handler(counts=True)
    for serve in (plain, counting_too) * 10:
        cost(serve)
    without, with_ours = list[tuple[float, float]](), list[tuple[float, float]]()
    for number in range(ROUNDS):
        # Each goes first in every other round: the second finds the processor's caches warm.
        for serve in (plain, counting_too)[:: 1 if number % 2 else -1]:
            (without if serve is plain else with_ours).append(cost(serve))
    sent, counted = zip(*with_ours, strict=True)
    return [sent for sent, _ in without], list(sent), list(counted)


def row(name: str, without: Times, sent: Times, closed: Times) -> list[str]:
    base = median(without)
    cells = [cell for times in (sent, closed) for cell in (median(times), median(times) / base)]
    return [name, f"{base:.2f}", *(f"{cell:.2f}" for cell in cells)]


def measure_calls() -> str:
    """Measure the middleware around a ready-made page and the round trip after it, against a PING."""
    request = RequestFactory(headers={"User-Agent": AGENT}).get("/shops/1/")
    request.COOKIES[visitors.COOKIE_NAME] = visitors.new_value()
    request.user, request.resolver_match = AnonymousUser(), resolve("/shops/1/")
    around, bare = VisitMiddleware(lambda _: HttpResponse(b"a page")), HttpResponse
    ours = _p50(lambda: around(request)) - _p50(lambda: bare(b"a page"))
    counting.flush()
    ping = _p50(client.get("stats").ping)
    one = _p50(lambda: counting.count(counting.View(Scope("shop", 1), "a" * 32)))
    return (
        f"A page thread spends {ours * 1_000:.0f} µs on the middleware itself (p50 of {CALLS:,}). "
        f"The counting of one view of a shop, one round trip, takes {one * 1_000:.0f} µs of the "
        f"other thread; a PING takes {ping * 1_000:.0f} µs."
    )


def measure_frozen_redis(path: str) -> str:
    """Measure pages while Redis accepts connections and never replies."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        url = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        stats = settings.REDIS_CONNECTIONS["stats"] | {"url": url}
        with override_settings(REDIS_CONNECTIONS=settings.REDIS_CONNECTIONS | {"stats": stats}):
            client.close_all()
            serve = handler(counts=True)
            times = [time_view(serve, path, time.perf_counter, time.perf_counter) for _ in range(50)]
    client.close_all()
    breaker.forget_all()
    worst = max(sent for sent, _ in times)
    held = max(closed - sent for sent, closed in times)
    return (
        f"While Redis is frozen, the slowest of 50 pages is sent after {worst:.0f} ms; the thread that "
        f"counts waits {held:.0f} ms at most, once in {breaker.PROBE_SECONDS:.0f} s."
    )


def accuracy_table() -> str:
    """Return the figures of `make bench-accuracy` as a Markdown table."""
    head = ("visitors", "estimate", "error", "HyperLogLog", "a SET", "seconds")
    rows = [
        (f"{one.truth:,}", f"{one.estimate:,}", f"{one.error:+.2%}", _kb(one.bytes), _kb(one.set_bytes),
         f"{one.seconds:.2f}")
        for one in accuracy.measure(client.get(), VISITORS, seed=0)
    ]  # fmt: skip
    about = f"`make bench-accuracy`; one standard error is {accuracy.STANDARD_ERROR:.2%}."
    return f"{about}\n\n{reports.markdown_table(head, rows)}"


def _kb(size: int) -> str:
    return f"{size / 1_024:,.1f} KB"


def _p50(call: Callable[[], object]) -> float:
    times = []
    for _ in range(CALLS):
        began = time.thread_time()
        call()
        times.append((time.thread_time() - began) * 1_000)
    return median(times)


if __name__ == "__main__":
    main()
