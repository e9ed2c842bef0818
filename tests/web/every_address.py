"""Every address of pages and API, with right values, with wrong ones, and with ones never asked before."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal
from urllib.parse import quote, urlencode

from django.test import Client
from django.urls import URLResolver, get_resolver

from apps.blog.models import Note
from apps.coupons.models import FlashSale
from tests.api_document import read_document

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
    for path, operations in read_document()["paths"].items():
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


def list_addresses() -> list[Address]:
    """Those of the API, then those of pages."""
    return [*api_addresses(), *page_addresses(get_resolver())]


def known_values(note: Note, sale: FlashSale) -> dict[str, str]:
    """Right values for the places of addresses, by their names."""
    return {
        **{"shop_id": str(note.shop_id), "voucher_id": str(sale.pk), "note_id": str(note.pk)},
        **dict.fromkeys(("user_id", "person_id"), str(note.author_id)),
        **{"kind": "shops", "slug": "flash-sale", "provider_name": "sandbox", "ticket": "zz"},
    }
