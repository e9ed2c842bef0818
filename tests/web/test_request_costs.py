"""What a request without a log-in costs the site: nothing of it stays, and others get the interpreter soon.

Every address is asked as a stranger would: with right values, with wrong ones, and with ones that no request
had before. The table in docs/reliability.md is what test_requests_cost_little prints (pytest -rP).
"""

import gc
import logging
import os
import re
import time
import tracemalloc
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, Literal
from urllib.parse import quote, urlencode

import pytest
from django.test import Client
from django.urls import URLResolver, get_resolver

from apps.accounts.models import User
from apps.coupons.models import FlashSale
from apps.redis_kit import client as redis_client
from config.api import api
from tests.blog import makers
from tests.coupons.conftest import make_sale, sale, shop

__all__ = ["make_sale", "sale", "shop"]

pytestmark = [pytest.mark.django_db, pytest.mark.wide]
#: Bytes that may stay of one request: of caches with a bound, and 1,100 of the test client's own.
MAX_PROCESS_BYTES, MAX_REDIS_BYTES = 12_000, 2_000
#: Milliseconds of a processor, at the best of some times: longer, and others on the site wait.
MAX_MILLISECONDS = 30.0
#: Requests before and while it is measured; what is dear is measured once more, since caches fill at first.
WARMING, MEASURED, MEASURED_AGAIN = 2, 5, 20
#: How values of an address are chosen: as its rows are, unreadable, or readable and never asked before.
Values = Literal["right", "wrong", "new"]
#: Parameters of pages, which no document lists.
PAGE_PARAMETERS = ("q", "type", "city", "sort", "cursor", "page", "tab", "lat", "lng", "kind", "next", "shop")
PLACE = re.compile(r"[<{](?:(?P<kind>\w+):)?(?P<name>\w+)[>}]")
numbers = count(1)


@dataclass(frozen=True)
class Address:
    """A method and a path with places for values; the types of the query's parameters by name."""

    method: str
    path: str
    parameters: Mapping[str, str]

    @property
    def kinds(self) -> Sequence[Values]:
        """The kinds of values that make a difference."""
        if self.parameters or PLACE.search(self.path):
            return ("right", "wrong", "new") if self.method == "get" else ("right", "wrong")
        return ("right",) if self.method == "get" else ("right", "wrong")

    def fill(self, values: Values, known: Mapping[str, str]) -> str:
        """The path and query of one request."""
        path = PLACE.sub(lambda place: quote(_place_value(place, values, known)), self.path)
        if values == "right" or not self.parameters:
            return path
        query = {name: _query_value(kind, values) for name, kind in self.parameters.items()}
        return f"{path}?{urlencode(query)}"


@dataclass(frozen=True)
class Cost:
    """Of one request: bytes that stay in the process and in Redis, files that stay open, milliseconds."""

    process_bytes: float
    redis_bytes: float
    open_files: int
    milliseconds: float

    @property
    def is_little(self) -> bool:
        return (
            self.process_bytes <= MAX_PROCESS_BYTES
            and self.redis_bytes <= MAX_REDIS_BYTES
            and self.open_files <= 0
            and self.milliseconds <= MAX_MILLISECONDS
        )


def _place_value(place: re.Match[str], values: Values, known: Mapping[str, str]) -> str:
    if values == "right":
        return known.get(place["name"], "1")
    if values == "new" or place["kind"]:
        return str(10**9 + next(numbers))
    return f"zz{next(numbers)}{'9' * 24}"


def _query_value(kind: str, values: Values) -> str:
    if values == "wrong":
        return f"zz{next(numbers)}{'9' * 24}"
    if kind == "integer":
        return str(next(numbers))
    return str(next(numbers) / 100_000) if kind == "number" else f"noodle {next(numbers)}"


def api_addresses() -> Iterator[Address]:
    for path, operations in api.get_openapi_schema()["paths"].items():
        for method, operation in operations.items():
            queried = [one for one in operation.get("parameters", ()) if one["in"] == "query"]
            yield Address(method, path, {one["name"]: _type_name(one["schema"]) for one in queried})


def _type_name(schema: Mapping[str, Any]) -> str:
    choices = [schema, *schema.get("anyOf", ())]
    return next((one["type"] for one in choices if one.get("type") in ("integer", "number")), "string")


def page_addresses(resolver: URLResolver, prefix: str = "") -> Iterator[Address]:
    """Each page without the admin's, as it is read and as a form is sent to it."""
    for entry in resolver.url_patterns:
        path = prefix + str(entry.pattern)
        if path.startswith(("admin/", "api/")):
            continue
        if isinstance(entry, URLResolver):
            yield from page_addresses(entry, path)
        elif "^" not in path:
            yield Address("get", f"/{path}", dict.fromkeys(PAGE_PARAMETERS, "string"))
            yield Address("post", f"/{path}", {})


def ask(client: Client, address: Address, values: Values, known: Mapping[str, str]) -> None:
    """Send the request and read its answer."""
    body: Any = {} if values == "right" else {"phone": f"zz{next(numbers)}", "code": "1", "q": "zz"}
    headers = {"X-Forwarded-For": f"zz{next(numbers)}", "Sec-Fetch-Site": "same-origin"}
    send = getattr(client, address.method)
    path = address.fill(values, known)
    if address.method == "get":
        answer = send(path, headers=headers)
    else:
        is_api = path.startswith("/api/")
        sent = {"data": body} | ({"content_type": "application/json"} if is_api else {})
        answer = send(path, headers=headers, **sent)
    assert answer.status_code < 500 or answer.status_code == 503, path
    if answer.streaming and not answer.is_async:
        # The test client closes a file with its last bytes.
        list(answer.streaming_content)


def measure(client: Client, address: Address, values: Values, known: Mapping[str, str]) -> Cost:
    """The cost of one request of this kind."""
    cost = measure_rounds(client, address, values, known, MEASURED)
    return cost if cost.is_little else measure_rounds(client, address, values, known, MEASURED_AGAIN)


def measure_rounds(
    client: Client, address: Address, values: Values, known: Mapping[str, str], rounds: int
) -> Cost:
    """The cost of one of so many requests."""
    times = []
    for _round in range(WARMING):
        begun = time.thread_time()
        ask(client, address, values, known)
        times.append(time.thread_time() - begun)
    redis_before, files_before = redis_bytes(), open_files()
    tracemalloc.start()
    for _round in range(rounds):
        ask(client, address, values, known)
    gc.collect()
    staying, _peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Cost(
        staying / rounds,
        (redis_bytes() - redis_before) / rounds,
        open_files() - files_before,
        min(times) * 1000,
    )


def redis_bytes() -> int:
    store = redis_client.get()
    return sum(store.memory_usage(key, samples=0) or 0 for key in store.scan_iter(count=1_000))


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_requests_cost_little(
    request: pytest.FixtureRequest, client: Client, alice: User, sale: FlashSale
) -> None:
    """One walk over all addresses, so that what it finds is one table."""
    note = makers.note(alice, shop=sale.voucher.shop)
    known = {
        **{"shop_id": str(note.shop.pk), "voucher_id": str(sale.pk), "note_id": str(note.pk)},
        **dict.fromkeys(("user_id", "person_id"), str(alice.pk)),
        **{"kind": "shops", "slug": "flash-sale", "provider_name": "sandbox", "ticket": "zz"},
    }
    addresses = [*api_addresses(), *page_addresses(get_resolver())]
    gc.freeze()
    # pytest keeps every line of the log, with its request.
    logging.disable()
    request.addfinalizer(partial(logging.disable, logging.NOTSET))
    costs = {
        (f"{address.method.upper()} {address.path}", values): measure(client, address, values, known)
        for address in addresses
        for values in address.kinds
    }
    print(make_table(costs))
    dear = {name: cost for name, cost in costs.items() if not cost.is_little}
    assert not dear, make_table(dear)


def make_table(costs: Mapping[tuple[str, Values], Cost]) -> str:
    """The costs as a table in Markdown, the dearest request of each measure first."""
    rows = sorted(costs.items(), key=lambda row: -row[1].milliseconds)
    head = "| request | values | bytes that stay | in Redis | files | ms |\n|---|---|---|---|---|---|"
    lines = [
        f"| `{name}` | {values} | {cost.process_bytes:,.0f} | {cost.redis_bytes:,.0f} "
        f"| {cost.open_files} | {cost.milliseconds:.1f} |"
        for (name, values), cost in rows
    ]
    return "\n".join([head, *lines])
