"""Keeps what tests of the API are answered, as the examples of its document: `make api-examples`.

Of the answers to an operation it keeps the fullest plain one. What differs from run to run is made the same:
ids are counted, and times, tokens, hosts and names of files stand still. `config.api` reads the file.

    make api-examples TESTS=tests/coupons/buyer/test_gifts.py     # what these show, beside what the file has
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.test import Client

from config.api import api

Json = Any
#: Of each text so many letters are kept; of each list the first item.
MAX_LENGTH = 120
_MOMENT = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$")
_DAY = re.compile(r"^\d{4}-\d\d-\d\d$")
_MONTH = re.compile(r"^\d{4}-\d\d$")
_ORDER_ID = re.compile(r"\b\d{17,19}\b")
_HOST = re.compile(r"^https?://(?:[\w.]*\.)?(?:testserver|localhost|savor\.example)(?::\d+)?")
_FILE = re.compile(r"[0-9a-f]{20,64}")
_NUMBER_IN_URL = re.compile(r"(?<=/)\d+(?=/|\.[a-z])")
#: What stands still, and in what form.
_STEADY = (
    (_HOST, "https://savor.example"),
    (re.compile(r"^http://127\.0\.0\.1:\d+"), "https://shop.example"),
    (re.compile(r"\+86139\d{8}\b"), "+8613900000001"),
    (re.compile(r"\b\d+-[\w-]{22}(?=/|$)"), "17-2PBRkaGOOXlQ5PQHUzTR0g"),
    (re.compile(r"(?<=/gifts/)[^/]+"), "mQ1h0ZrT5pXw8bK2.cV7nYs4dJ6fLgA9e"),
    (re.compile(r"(?<=today at )\d\d:\d\d"), "12:00"),
    (_ORDER_ID, "224835412934656033"),
    (_FILE, "6f1ed002ab5595859014ebf0951522d9"),
)
#: Texts that tests make up to be long or odd.
_MADE_UP = re.compile(r"(.)\1{4}|[<>\x00]")
#: Factories count the rows that they make.
_COUNTED = re.compile(r" \d+$")
#: Members whose texts are random or signed.
_SIGNED = {
    "token": "mQ1h0ZrT5pXw8bK2cV7nYs4dJ6fLgA9e",
    "request": "kXv0Jm1XyGZ0Jz1nH2b3cA",
    "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "receipt": "1.224835412934656033.5.7.1.b1946ac92492d2347c6235b4d2611184.6f1ed002ab5595859014ebf0951522d9",
    "undo": "eyJ2IjoxfQ:1vNkQw:3b6mS0jTqz",
    "next": "WzE3XQ:1vNkQw:8Jp0cXvR2dM",
    "ticket": "eyJhIjozfQ:1vNkQw:Zk2pQ9sLxT",
    "redeem_code": "7KQ29XMW4TBD",
    "pay_url": "https://savor.example/sandbox/pay/6f1ed002ab5595859014ebf0951522d9/",
    "proof": "eyJwIjoxfQ:1vNkQw:Qm4xV7tYwB",
    "debug_code": "402817",
}
_NOW_MS = 1_795_651_200_000


class Recorder:
    """A plugin of pytest: operation id -> status -> body, and "problems" -> "409 sold_out" -> body."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self.found: dict[str, dict[str, Json]] = {"problems": {}}
        self._operations: list[tuple[re.Pattern[str], str, str]] = []
        self._refusals: set[str] = set()

    def pytest_sessionstart(self) -> None:
        """Have the test client's answers of the API recorded."""
        document = api.get_openapi_schema()
        self._operations, self._refusals = list(_read_operations(document)), set(_read_refusals(document))
        send: Callable[..., Any] = Client.request

        def request(client: Client, **request: Any) -> Any:
            response = send(client, **request)
            path, kind = request.get("PATH_INFO", ""), response.headers.get("Content-Type", "")
            is_plain = "json" in kind and "Content-Encoding" not in response.headers
            if path.startswith("/api/") and is_plain and response.content:
                self.record(request["REQUEST_METHOD"], path, response.status_code, response.json())
            return response

        Client.request = request  # type: ignore[assignment,method-assign]

    def pytest_sessionfinish(self) -> None:
        """Write the examples; of what no test of this run showed, the former ones."""
        names = ["problems", *(name for _pattern, _verb, name in self._operations)]
        former = json.loads(self._place.read_text()) if self._place.exists() else {}
        found = {name: former.get(name, {}) | self.found.get(name, {}) for name in names}
        found["problems"] = {name: one for name, one in found["problems"].items() if name in self._refusals}
        found = {name: examples for name, examples in found.items() if examples}
        text = json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False)
        self._place.write_text(text + "\n")

    def record(self, method: str, path: str, status: int, body: Json) -> None:
        """Keep an answer if it shows more than that which is kept."""
        if status >= 400:
            if (name := f"{status} {body['code']}") in self._refusals:
                self._keep("problems", name, body)
            return
        for pattern, verb, operation_id in self._operations:
            if verb == method.lower() and pattern.fullmatch(path):
                self._keep(operation_id, str(status), body)
                return

    def _keep(self, group: str, name: str, body: Json) -> None:
        body = _Steady().make(body)
        kept = self.found.setdefault(group, {}).get(name)
        if kept is None or _rank(body) > _rank(kept):
            self.found[group][name] = body


def _read_operations(document: Json) -> Iterator[tuple[re.Pattern[str], str, str]]:
    """Patterns of paths, those without parameters first."""
    paths = document["paths"]
    for path in sorted(paths, key=lambda one: one.count("{")):
        pattern = re.compile(re.sub(r"\{\w+\}", "[^/]+", path))
        for verb, operation in paths[path].items():
            yield pattern, verb, operation["operationId"]


def _read_refusals(document: Json) -> Iterator[str]:
    """ "409 sold_out" of each refusal that some operation has."""
    for answer in document["components"]["responses"].values():
        for code, example in answer["content"]["application/problem+json"]["examples"].items():
            yield f"{example['value']['status']} {code}"


def _rank(body: Json) -> tuple[int, bool, str]:
    """How much an example shows: its filled members, up to a screen of them; then a plain one by its text."""
    text = json.dumps(body, sort_keys=True, ensure_ascii=False)
    return min(_count_filled(body), 60), not _MADE_UP.search(text), text


def _count_filled(part: Json) -> int:
    if isinstance(part, dict):
        return sum(1 + _count_filled(inner) for inner in part.values() if inner not in (None, "", [], {}))
    return sum(map(_count_filled, part)) if isinstance(part, list) else 0


class _Steady:
    """An answer without what differs from run to run."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def make(self, part: Json, name: str = "") -> Json:
        if isinstance(part, dict):
            return {key: self.make(inner, key) for key, inner in part.items()}
        if isinstance(part, list):
            # A list of plain numbers is one of ids.
            return [self.make(inner, "id" if isinstance(inner, int) else name) for inner in part[:1]]
        if isinstance(part, str):
            return self._make_text(part, name)
        if isinstance(part, int) and not isinstance(part, bool):
            return self._make_number(part, name)
        return True if name == "is_open" and part is not None else part

    def _make_number(self, number: int, name: str) -> int:
        if name == "now_ms":
            return _NOW_MS
        if name == "milliseconds":
            return 23
        if name in {"id", "max", "offset"} or name.endswith("_id"):
            return self._numbers.setdefault(number, len(self._numbers) + 1) if number else 0
        return number

    def _make_text(self, text: str, name: str) -> str:
        if name in _SIGNED and text:
            return _SIGNED[name]
        for pattern, steady in ((_MOMENT, "2026-11-26T12:00:00Z"), (_DAY, "2026-11-26"), (_MONTH, "2026-11")):
            if pattern.match(text):
                return steady
        for pattern, steady in _STEADY:
            text = pattern.sub(steady, text)
        if name.endswith("url") or name == "avatar":
            text = _NUMBER_IN_URL.sub(lambda found: str(self._make_number(int(found[0]), "id")), text)
        if (name == "id" or name.endswith("_id")) and text.isascii() and text.isdigit() and len(text) < 17:
            return str(self._make_number(int(text), "id"))
        if name in {"name", "nickname", "title"}:
            text = _COUNTED.sub(" 1", text)
        return text[:MAX_LENGTH]
