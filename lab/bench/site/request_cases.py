"""Builds the cases of lab.bench.site: each is a list of requests, the same in every run."""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from tests.crowd import people
from tests.crowd.request_templates import RequestTemplate


@dataclass(frozen=True)
class RequestSpec:
    """One request; `token` becomes a browser's cookie or an app's bearer, `ip` the X-Forwarded-For.

    `place` is the position that the site has put into a browser's cookie.
    """

    path: str
    method: str = "GET"
    token: str = ""
    body: str = ""
    ip: str = "10.0.0.1"
    place: str = ""

    def raw(self, host: str) -> bytes:
        """Return the request's bytes for the wire: an app's for the API, else a browser's."""
        person = zlib.crc32(f"{self.token}{self.path}".encode())
        make = people.app_headers if self.path.startswith("/api/") else people.page_headers
        headers = [*make(Random(person), logged_in=bool(self.token)), ("X-Forwarded-For", self.ip)]
        if self.place:
            where = f"; {people.PLACE_COOKIE}={self.place}"
            headers = [(name, value + where * (name == "Cookie")) for name, value in headers]
        typed = [people.JSON] if self.body else []
        template = RequestTemplate(self.method, self.path, [*headers, *typed], self.body)
        # A visitor's cookie, too, is made of the token.
        return template.fill(host, token=self.token or f"{person:043d}", person=person)

    def headers(self, host: str) -> dict[str, str]:
        """Return the headers by name."""
        head = self.raw(host).decode().partition("\r\n\r\n")[0]
        return dict(line.split(": ", 1) for line in head.split("\r\n")[1:])


@dataclass(frozen=True)
class City:
    """The requests' subjects: tokens of readers and of people who write once, ids, places in degrees."""

    readers: Sequence[str]
    once: Sequence[str]
    shops: Sequence[int]
    notes: Sequence[int]
    places: Sequence[tuple[float, float]]


def build_cases(city: City, chance: Random) -> Iterator[tuple[str, list[RequestSpec]]]:
    """Yield (name, requests) of every case but the log-in, which needs replies in between."""

    def reading(path: str) -> list[RequestSpec]:
        return [RequestSpec(path, token=token) for token in city.readers]

    shops = [f"/shops/{shop}/" for shop in city.shops]
    near = [f"lat={lat:.5f}&lng={lng:.5f}" for lat, lng in city.places]
    # Django's cheapest response: a yardstick for the machine's speed at this moment.
    yield "healthz", [RequestSpec("/healthz")] * 10
    yield "shop", [RequestSpec(path) for path in shops]
    yield "shop, logged in", [RequestSpec(path, token=chance.choice(city.readers)) for path in shops * 4]
    yield (
        "shops near me",
        [
            RequestSpec("/shops/", token=chance.choice(city.readers), place=f"{lat:.3f},{lng:.3f}")
            for lat, lng in city.places
        ],
    )
    yield "home", reading("/")
    yield "hot notes", reading("/notes/")
    yield "feed", reading("/feed/")
    yield "JSON: shops near me", [RequestSpec(f"/api/shops?{place}") for place in near]
    yield "JSON: a shop", [RequestSpec(f"/api{path[:-1]}") for path in shops]
    yield (
        "JSON: like",
        [
            RequestSpec(f"/api/notes/{chance.choice(city.notes)}/like", method="PUT", token=token)
            for token in city.once
        ],
    )
    yield "JSON: check in", [RequestSpec("/api/sign-ins", method="POST", token=token) for token in city.once]


def code_requests(many: int) -> list[RequestSpec]:
    """Return requests for a log-in code, each from a phone and a network of its own."""
    return [_post_spec("/api/auth/code", number, {"phone": phone(number)}) for number in range(many)]


def login_requests(codes: Mapping[int, Mapping[str, str]]) -> list[RequestSpec]:
    """Return log-ins with what `code_requests` was answered for these numbers."""
    return [
        _post_spec(
            "/api/auth/login",
            number,
            {"phone": phone(number), "code": sent["debug_code"], "request": sent["request"]},
        )
        for number, sent in codes.items()
    ]


def phone(number: int) -> str:
    return f"+86137{number:08}"


def _post_spec(path: str, number: int, body: dict[str, str]) -> RequestSpec:
    return RequestSpec(path, "POST", body=json.dumps(body), ip=f"10.{number // 250}.{number % 250}.9")
