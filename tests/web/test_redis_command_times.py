"""No request has Redis work on one command for longer than a millisecond: claims would wait behind it.

In a city of many notes every address of pages and API is asked, by a stranger and by somebody who is logged
in, and searches of the commonest words in every order and with every filter. SLOWLOG says what took long.
"""

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count, product
from urllib.parse import urlencode

import pytest
import redis
from django.test import Client

from apps.blog.models import Note
from apps.coupons.models import FlashSale
from apps.redis_kit import client as redis_client
from tests.coupons.conftest import make_sale, sale, shop
from tests.web import large_city
from tests.web.every_address import ask, known_values, list_addresses

__all__ = ["make_sale", "sale", "shop"]

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.long,
    pytest.mark.timeout(1_800),
    pytest.mark.one_server("its log of slow commands"),
]
MAX_MICROSECONDS = 1_000
#: A command is slow that was each time: a crowded machine stalls a server in the middle of any.
ROUNDS = 10
#: What searches ask for besides their words.
CHOICES: Sequence[Mapping[str, str]] = (
    {},
    {"sort": "newest"},
    {"sort": "-votes"},
    {"sort": "mix"},
    {"type": "food"},
    {"rating": "5", "area": "Area 3"},
    {"open_now": "1"},
    {"lat": "30.2", "lng": "120.1"},
    {"lat": "30.2", "lng": "120.1", "sort": "distance", "within_km": "5"},
    {"sort": "unknown"},
)
numbers = count(1)


@pytest.mark.parametrize("notes", [5_000, 100_000])
def test_no_request_keeps_redis_for_longer_than_a_millisecond(
    client: Client, sale: FlashSale, notes: int, request: pytest.FixtureRequest
) -> None:
    made = large_city.fill(notes)
    # pytest keeps every line of the log, with its request.
    logging.disable()
    request.addfinalizer(partial(logging.disable, logging.NOTSET))
    store = redis_client.get()
    store.config_set("slowlog-log-slower-than", MAX_MICROSECONDS)
    store.config_set("slowlog-max-len", 10_000)
    request.addfinalizer(partial(store.config_set, "slowlog-log-slower-than", 10_000))
    slow = {
        f"{name}: {command}": longest
        for name, send in requests(client, made, sale)
        for command, longest in find_slow(store, send).items()
    }
    ordered = sorted(slow.items(), key=lambda one: -one[1])
    lines = [f"{longest:,} us: {name[:300]}" for name, longest in ordered]
    print(f"{len(lines)} slow commands\n", "\n".join(lines))
    assert not lines


def requests(
    client: Client, made: Sequence[Note], sale: FlashSale
) -> Iterator[tuple[str, Callable[[], object]]]:
    """Names and senders: of searches, then of each address with each kind of values, by both people."""
    for words, choices in product(list_searches(made), CHOICES):
        query = urlencode({"q": words, "kind": "notes", **choices})
        yield f"/api/search?{query}", partial(search, client, query)
    known = known_values(made[0], sale)
    for person in (None, made[0].author):
        if person:
            client.force_login(person)
        for address in list_addresses():
            for values in address.kinds:
                name = f"{'somebody' if person else 'a stranger'} {address.method} {address.path} {values}"
                yield name, partial(ask, client, address, values, known)


def list_searches(made: Sequence[Note]) -> list[str]:
    """The commonest words, alone and together, without and beside each other; rare ones, and none."""
    common = Counter(" ".join(note.text for note in made[:2_000]).split()).most_common(3)
    first, second, third = (word for word, _times in common)
    chinese = made[-1].text
    return [
        *("", first, f"{first} {second}", f"{first} {second} {third}", f"{first} -{second}"),
        *(f'"{first} {second}"', f"{first[:2]}", f"{first}{second}", f"{first} noodle", "dinre"),
        *(chinese[0], chinese[:2], chinese[:6]),
    ]


def search(client: Client, query: str) -> None:
    """Search from an address of its own: what is measured is not the limit of searches."""
    number = next(numbers)
    address = f"10.{number // 200 % 200}.{number % 200}.1"
    assert client.get(f"/api/search?{query}", REMOTE_ADDR=address).status_code in {200, 422}


def find_slow(store: redis.Redis, send: Callable[[], object]) -> dict[str, int]:
    """{command: microseconds} of what was slow each time that the request was sent: of the best time.

    A command is one with its arguments: each slice of a walk is one of its own.
    """
    slow: dict[str, int] = {}
    for number in range(ROUNDS):
        store.slowlog_reset()
        send()
        found: dict[str, int] = {}
        for entry in store.slowlog_get(10_000):
            name = name_command(entry["command"])
            if not name.startswith("SLOWLOG"):
                found[name] = max(found.get(name, 0), entry["duration"])
        slow = {
            name: min(longest, slow.get(name, longest))
            for name, longest in found.items()
            if not number or name in slow
        }
        if not slow:
            break
    return slow


def name_command(command: bytes | str) -> str:
    """A command without what differs from one time to the next."""
    text = command.decode(errors="replace") if isinstance(command, bytes) else command
    return re.sub(r"[0-9a-f]{32,}|\d{6,}", "…", text)
