"""Runs the measurements of lab.bench.social; the report goes to standard output."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402 - models need the settings
from django.test import Client, override_settings  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from redis.connection import AbstractConnection  # noqa: E402

from apps.accounts.models import User  # noqa: E402
from apps.blog.models import Note  # noqa: E402
from apps.redis_kit import client  # noqa: E402
from lab.bench import reports  # noqa: E402
from lab.bench.social import social_data  # noqa: E402
from tests.coupons.buyers import browser_client  # noqa: E402

#: Rounds, and readers who take turns, so many that none reaches a rate limit.
ROUNDS, READERS = int(os.environ.get("ROUNDS", "400")), 40
SendRequest = Callable[[int], None]
#: Wall milliseconds, and this process's CPU milliseconds.
TimeSpent = tuple[float, float]


@dataclass(frozen=True)
class Cost:
    """One request's SQL queries and trips to Redis; the sorted wall and CPU milliseconds of all."""

    queries: int
    trips: int
    times: list[float]
    processor: list[float]

    def share(self, part: float) -> float:
        return self.times[round(part * (len(self.times) - 1))]

    @property
    def worked(self) -> float:
        return self.processor[len(self.processor) // 2]


def main() -> None:
    readers = social_data.build()[:READERS]
    print("The town is built.", file=sys.stderr)
    with override_settings(ROOT_URLCONF="lab.bench.social.orm_note_pages", ALLOWED_HOSTS=["*"]):
        cases = list(_cases(readers))
        rows = [_row(name, *_measure_both(ours, orm)) for name, ours, orm in cases]
        lost = [(name, _first_look_after_loss(ours)) for name, ours, _ in cases[:3]]
    print(_report(rows, lost))


def _cases(readers: list[User]) -> Iterator[tuple[str, SendRequest, SendRequest]]:
    """Yield (name, our page, the page by the ORM alone)."""
    browsers = [browser_client(reader) for reader in readers]
    hottest = list(Note.objects.order_by("-heat").values_list("pk", flat=True)[:20])
    pages = {
        "hot list, 20 notes": "notes/",
        "note, 20 comments": f"notes/{hottest[0]}/",
        "feed, 20 notes": "feed/",
    }
    for name, path in pages.items():
        yield name, _get_requests(browsers, f"/{path}"), _get_requests(browsers, f"/orm/{path}")
    pressed = f"notes/{hottest[1]}/like/"
    yield (
        "like and unlike",
        _like_requests(browsers, f"/{pressed}"),
        _like_requests(browsers, f"/orm/{pressed}"),
    )


def _get_requests(browsers: Sequence[Client], path: str) -> SendRequest:
    def ask(number: int) -> None:
        answer = browsers[number % READERS].get(path)
        assert answer.status_code == 200, answer.status_code

    return ask


def _like_requests(browsers: Sequence[Client], path: str) -> SendRequest:
    """Return a function in which each reader in turn likes a note, and a round later unlikes it."""
    wanted = cycle([*["1"] * READERS, *["0"] * READERS])

    def ask(number: int) -> None:
        told = {"liked": next(wanted), "spot": "card"}
        answer = browsers[number % READERS].post(path, told, headers={"hx-request": "true"})
        assert answer.status_code == 200, answer.status_code

    return ask


def _measure_both(ours: SendRequest, orm: SendRequest) -> tuple[Cost, Cost]:
    """Measure both in turn, so that the machine's load affects both; a warm-up visits with every reader."""
    for number in range(2 * READERS):
        (ours, orm)[number % 2](number // 2)
    spent: tuple[list[TimeSpent], list[TimeSpent]] = ([], [])
    for number in range(ROUNDS):
        for ask, times in zip((ours, orm), spent, strict=True):
            times.append(_time(ask, number))
    return _cost(ours, spent[0]), _cost(orm, spent[1])


def _time(ask: SendRequest, number: int) -> TimeSpent:
    began, worked = time.perf_counter(), time.process_time()
    ask(number)
    return 1_000 * (time.perf_counter() - began), 1_000 * (time.process_time() - worked)


def _cost(ask: SendRequest, spent: list[TimeSpent]) -> Cost:
    with CaptureQueriesContext(connection) as queries, _counted() as sent:
        ask(ROUNDS)
    times, processor = map(sorted, zip(*spent, strict=True))
    return Cost(len(queries), len(sent), times, processor)


@contextmanager
def _counted() -> Iterator[list[object]]:
    """Record what is sent to Redis within the block, an entry for each round trip."""
    sent: list[object] = []
    send: Any = AbstractConnection.send_packed_command

    def counted(self: AbstractConnection, command: object, check_health: bool = True) -> None:
        sent.append(command)
        send(self, command, check_health)

    AbstractConnection.send_packed_command = counted  # type: ignore[method-assign]
    yield sent
    AbstractConnection.send_packed_command = send  # type: ignore[method-assign]


def _first_look_after_loss(ask: SendRequest) -> float:
    """Return the milliseconds of the first request after Redis was emptied."""
    client.get().flushall()
    return _time(ask, 0)[0]


def _row(name: str, ours: Cost, orm: Cost) -> list[str]:
    return [
        name,
        *_columns(ours),
        *_columns(orm),
        f"{ours.worked / orm.worked:.2f}",
    ]


def _columns(cost: Cost) -> list[str]:
    times = (f"{cost.share(0.5):.1f}", f"{cost.share(0.99):.1f}", f"{cost.worked:.1f}")
    return [str(cost.queries), str(cost.trips), *times]


def _report(rows: list[list[str]], lost: list[tuple[str, float]]) -> str:
    times = ("trips", "p50 ms", "p99 ms", "CPU ms")
    town = (
        f"{social_data.PEOPLE:,} people, {social_data.FOLLOWS_EACH} follows each, {social_data.NOTES:,} notes"
    )
    first = ", ".join(f"{name} {milliseconds:.0f} ms" for name, milliseconds in lost)
    return "\n".join(
        [
            "## Pages of notes against the ORM alone",
            "",
            f"{reports.describe_machine('django', 'redis')}, SQLite; {town}.",
            f"{ROUNDS} requests a case from {READERS} logged-in readers, both ways in turn, through all the",
            "middleware and the same templates. Trips are round trips to Redis; both pay for the log-in.",
            "CPU is the p50 of this process's processor time, which a busy machine changes least.",
            "",
            reports.markdown_table(
                ("request", "queries", *times, "ORM: queries", *times, "CPU against it"), rows
            ),
            "",
            f"The first look after Redis lost everything: {first}.",
        ]
    )


if __name__ == "__main__":
    main()
