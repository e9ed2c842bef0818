"""Helper process of lab.bench.site inside a city; both commands print JSON on standard output.

`make` prints the requests to send; `count` prints their SQL queries and round trips to Redis.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from random import Random
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402 - models need the settings
from django.db.models import Count  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from redis.connection import AbstractConnection  # noqa: E402

from apps.accounts.models import AccessToken, User  # noqa: E402
from apps.accounts.sessions import tokens  # noqa: E402
from apps.blog.models import Note  # noqa: E402
from apps.follows.models import Follow  # noqa: E402
from apps.shops.models import Shop  # noqa: E402
from apps.uv import counting  # noqa: E402
from lab.bench.site import request_cases  # noqa: E402
from lab.bench.site.request_cases import City, RequestSpec  # noqa: E402

READERS, SHOPS, PLACES, NOTES = 40, 50, 200, 200
#: Requests of a kind before the one that is measured.
WARMUP_REQUESTS = 3


def main() -> None:
    work: Callable[[], object] = {"make": print_requests, "count": print_costs}[sys.argv[1]]
    json.dump(work(), sys.stdout)


def print_requests() -> dict[str, list[dict[str, str]]]:
    """Return the requests of each case; standard input has the tokens of people who write once."""
    once, chance = sys.stdin.read().split(), Random(5)
    cases = request_cases.build_cases(build_city(once, chance), chance)
    return {name: [asdict(one) for one in asks] for name, asks in cases}


def build_city(once: Sequence[str], chance: Random) -> City:
    """Return the subjects of requests; `once` are the tokens of people who write once."""
    return City(_readers(), once, _shops(), _notes(), _places(chance))


def print_costs() -> dict[str, tuple[int, int]]:
    """Return (SQL queries, round trips to Redis) by case; standard input has some requests of each case."""
    cases = json.load(sys.stdin)
    return {name: _cost([RequestSpec(**one) for one in asks]) for name, asks in cases.items()}


def _cost(asks: Sequence[RequestSpec]) -> tuple[int, int]:
    # A page once more, since most people find it warm; whoever changes something is the first one to do it.
    looked_at = asks[WARMUP_REQUESTS]
    for one in [*asks[:WARMUP_REQUESTS], *([looked_at] if looked_at.method == "GET" else [])]:
        _send(one)
    with CaptureQueriesContext(connection) as queries, counted_trips() as sent:
        _send(looked_at)
    return len(queries), len(sent)


def _send(one: RequestSpec) -> None:
    browser = Client(SERVER_NAME="127.0.0.1", headers=one.headers("127.0.0.1"))
    answer = browser.generic(one.method, one.path, one.body, content_type="application/json")
    counting.flush()
    assert answer.status_code < 300, (one, answer.status_code, answer.content[:500])


@contextmanager
def counted_trips() -> Iterator[list[object]]:
    """Record what is sent to Redis within the block, an entry for each round trip."""
    sent: list[object] = []
    send: Any = AbstractConnection.send_packed_command

    def counted(self: AbstractConnection, command: object, check_health: bool = True) -> None:
        sent.append(command)
        send(self, command, check_health)

    AbstractConnection.send_packed_command = counted  # type: ignore[method-assign]
    yield sent
    AbstractConnection.send_packed_command = send  # type: ignore[method-assign]


def _readers() -> list[str]:
    """Return tokens of the people who follow most."""
    follow = Follow.objects.values("follower").annotate(many=Count("pk")).order_by("-many", "follower")
    people = User.objects.in_bulk([row["follower"] for row in follow[:READERS]])
    return tokens.issue_many(list(people.values()), kind=AccessToken.Kind.PAGE)


def _shops() -> list[int]:
    """Return the ids of the shops with the most notes."""
    told = Note.objects.published().filter(shop__is_listed=True).values("shop").annotate(many=Count("pk"))
    return [row["shop"] for row in told.order_by("-many", "shop")[:SHOPS]]


def _notes() -> list[int]:
    return list(Note.objects.published().order_by("-heat").values_list("pk", flat=True)[:NOTES])


def _places(chance: Random) -> list[tuple[float, float]]:
    """Return (latitude, longitude) pairs in the streets, at most 300 m from a shop."""
    last = Shop.objects.order_by("-pk").values_list("pk", flat=True)[0]
    wanted = [chance.randint(1, last) for _ in range(PLACES)]
    found = Shop.objects.filter(pk__in=wanted).order_by("pk").values_list("lat", "lng")
    return [(lat + chance.uniform(-0.002, 0.002), lng + chance.uniform(-0.002, 0.002)) for lat, lng in found]


if __name__ == "__main__":
    main()
