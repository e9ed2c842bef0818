"""Helper process of lab.bench.lens: answers requests in itself, and prints the milliseconds as JSON."""

import gc
import json
import sys
import threading
import time
from collections.abc import Callable
from operator import truediv
from random import Random
from statistics import median
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402 - after the settings, as everything below
from django.core.handlers.wsgi import WSGIHandler  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.test import RequestFactory  # noqa: E402

from apps.backoffice.lens.access import LensSession  # noqa: E402
from apps.backoffice.lens.middleware import LensMiddleware  # noqa: E402
from apps.backoffice.lens.recording import Recording  # noqa: E402
from apps.blog.models import Note  # noqa: E402
from apps.front.lens import LENS_HEADER  # noqa: E402
from apps.uv import counting  # noqa: E402

LENS_MIDDLEWARE = f"{LensMiddleware.__module__}.{LensMiddleware.__qualname__}"
#: Requests of a round, whose mean is one sample, and calls of the middleware alone.
ROUND_REQUESTS, MIDDLEWARE_CALLS = 10, 5_000
Handler = Callable[[dict[str, Any], Any], Any]


def main() -> None:
    rounds = int(sys.argv[1])
    note = Note.objects.published().order_by("pk").values_list("pk", flat=True)[0]
    paths = ["/", f"/notes/{note}/", "/api/shop-types", f"/api/notes/{note}"]
    handlers = {"without": _build_handler(with_lens=False), "with": _build_handler(with_lens=True)}
    requests = {path: _measure(path, handlers, rounds) for path in paths}
    print(json.dumps({"requests": requests, "middleware_us": _measure_middleware(rounds)}))


def _build_handler(*, with_lens: bool) -> Handler:
    everything = settings.MIDDLEWARE
    settings.MIDDLEWARE = [name for name in everything if with_lens or name != LENS_MIDDLEWARE]
    try:
        return WSGIHandler()
    finally:
        settings.MIDDLEWARE = everything


def _measure(path: str, handlers: dict[str, Handler], rounds: int) -> dict[str, float]:
    plain = _build_environ(path, {})
    own = _build_environ(path, {LENS_HEADER: LensSession(1, "f" * 32).token})
    ways: dict[str, Callable[[], float]] = {
        "without": lambda: _spend(handlers["without"], plain),
        "off": lambda: _spend(handlers["with"], plain),
        "others": lambda: _spend_beside_another(handlers["with"], plain),
        "own": lambda: _spend(handlers["with"], own),
    }
    for run in ways.values():
        run()
    spent: dict[str, list[float]] = {name: [] for name in ways}
    chance = Random(5)
    for _ in range(rounds):
        # Each leaves caches and garbage to the next: the order is another one each time.
        for name in chance.sample(list(ways), len(ways)):
            gc.collect()
            spent[name].append(ways[name]())
    ratios = {f"{name} against it": median(map(truediv, spent[name], spent["without"])) for name in ways}
    return {name: median(times) for name, times in spent.items()} | ratios


def _measure_middleware(rounds: int) -> float:
    """Return the microseconds that the middleware takes of a browser's request with the lens off."""
    answer = HttpResponse()
    middleware = LensMiddleware(lambda request: answer)
    cookies = "django_language=en; savor_token=" + "t" * 45
    request = RequestFactory(headers={"Cookie": cookies, "Accept": "text/html"}).get("/")
    samples = []
    for _ in range(rounds):
        began = time.process_time()
        for _ in range(MIDDLEWARE_CALLS):
            middleware(request)
        samples.append(1_000_000 * (time.process_time() - began) / MIDDLEWARE_CALLS)
    return median(samples)


def _build_environ(path: str, headers: dict[str, str]) -> dict[str, Any]:
    made = RequestFactory(SERVER_NAME="127.0.0.1", headers={"Sec-Fetch-Site": "same-origin"} | headers)
    return dict(made.get(path).environ)


def _spend(handler: Handler, environ: dict[str, Any]) -> float:
    """Return the mean processor milliseconds of a request."""
    began = time.process_time()
    for _ in range(ROUND_REQUESTS):
        statuses: list[str] = []
        response = handler(dict(environ), lambda status, headers, exc_info=None: statuses.append(status))  # noqa: B023
        b"".join(response)
        response.close()
        assert statuses[0].startswith("2"), (environ["PATH_INFO"], statuses)
    counting.flush()
    return 1_000 * (time.process_time() - began) / ROUND_REQUESTS


def _spend_beside_another(handler: Handler, environ: dict[str, Any]) -> float:
    """Return the same while another thread's request is recorded, which does nothing."""
    started, finished = threading.Event(), threading.Event()

    def look() -> None:
        with Recording("GET", "/").running():
            started.set()
            finished.wait()

    thread = threading.Thread(target=look)
    thread.start()
    started.wait()
    try:
        return _spend(handler, environ)
    finally:
        finished.set()
        thread.join()


if __name__ == "__main__":
    main()
