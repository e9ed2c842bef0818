"""Helper process of lab.bench.pages: runs requests in itself; a line of JSON in, a line of JSON out.

The first line has the tokens of people who write once, and the numbers of those who log in; the answer is
the requests of each case.
"""

import contextlib
import io
import json
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from random import Random
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402 - models need the settings
from django.test import RequestFactory  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from apps.accounts import codes  # noqa: E402
from apps.uv import counting  # noqa: E402
from config.wsgi import application  # noqa: E402
from lab.bench.site import city_process, request_cases  # noqa: E402
from lab.bench.site.request_cases import City, RequestSpec  # noqa: E402

LOG_IN_PATH = "/api/auth/login"
Environ = dict[str, Any]


def main() -> None:
    for answer in _answers(map(json.loads, sys.stdin)):
        print(json.dumps(answer), flush=True)


def _answers(lines: Iterator[Any]) -> Iterator[object]:
    yield {name: [asdict(one) for one in requests] for name, requests in _cases(**next(lines))}
    for asked in lines:
        environs = [_environ(RequestSpec(**one)) for one in asked["requests"]]
        yield _count(environs) if asked["count"] else _spend(environs)


def _cases(people: list[str], log_ins: list[int]) -> Iterator[tuple[str, list[RequestSpec]]]:
    chance = Random(5)
    city = city_process.build_city(people, chance)
    built = dict(request_cases.build_cases(city, chance))
    yield "home", [RequestSpec("/")]
    yield "home, logged in", built["home"]
    yield "note", [RequestSpec(f"/notes/{note}/") for note in city.notes]
    yield "note, logged in", _by_readers(city, [f"/notes/{note}/" for note in city.notes], chance)
    yield "shops near me", built["shops near me"]
    yield "feed", built["feed"]
    yield "JSON: hot notes", _by_readers(city, ["/api/notes/hot"] * len(city.readers), chance)
    yield "JSON: like", built["JSON: like"]
    yield "JSON: check in", built["JSON: check in"]
    yield (
        "JSON: log in",
        request_cases.login_requests(dict.fromkeys(log_ins, {"debug_code": "", "request": ""})),
    )


def _by_readers(city: City, paths: Iterable[str], chance: Random) -> list[RequestSpec]:
    return [RequestSpec(path, token=chance.choice(city.readers)) for path in paths]


def _spend(environs: list[Environ]) -> float:
    """Return the mean processor milliseconds of these requests, counting their views included."""
    began = time.process_time()
    for environ in environs:
        _serve(environ)
    counting.flush()
    return 1_000 * (time.process_time() - began) / len(environs)


def _count(environs: list[Environ]) -> tuple[int, int]:
    """Return (SQL queries, round trips to Redis) of these requests."""
    with CaptureQueriesContext(connection) as queries, city_process.counted_trips() as trips:
        for environ in environs:
            _serve(environ)
        counting.flush()
    return len(queries), len(trips)


def _environ(request: RequestSpec) -> Environ:
    """Return the WSGI environment of a request; a log-in gets its code here, outside what is measured."""
    body = request.body
    if request.path == LOG_IN_PATH:
        phone = json.loads(body)["phone"]
        # The demo's sender prints each code.
        with contextlib.redirect_stderr(io.StringIO()):
            holder = codes.new_request()
            code = codes.send(phone, ip=request.ip, holder=holder)
            body = json.dumps({"phone": phone, "code": code, "request": holder})
    headers = request.headers("127.0.0.1") | {"Sec-Fetch-Site": "same-origin"}
    made = RequestFactory(SERVER_NAME="127.0.0.1", headers=headers)
    built = made.generic(request.method, request.path, body, content_type="application/json")
    return dict(built.environ)


def _serve(environ: Environ) -> None:
    statuses: list[str] = []
    response: Any = application(environ, lambda status, headers, exc_info=None: statuses.append(status))
    body = b"".join(response)
    response.close()
    assert statuses[0].startswith("2"), (environ["PATH_INFO"], statuses, body[:500])


if __name__ == "__main__":
    main()
