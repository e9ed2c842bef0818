"""Claims in every shape, sent to Django's view and to the route in front of it."""

import re
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.core.handlers.wsgi import WSGIHandler

from apps.accounts.models import User
from apps.coupons import keys, limits
from apps.coupons.claims import receipts
from apps.coupons.gateway.route import ClaimRoute
from apps.coupons.models import FlashSale
from apps.front.wsgi_bridge import WsgiBridge
from apps.redis_kit import client, limiter
from apps.web.body_limits import max_body_bytes
from tests import asgi_client
from tests.asgi_client import AsgiResponse
from tests.protocol_client import as_asgi_application

NUMBER = re.compile(r"[0-9]{12,}")
RECEIPT = re.compile(r"(?<=\"receipt\": \")1\.[\w.-]+")


class Counted:
    """Django behind the route, and how often it was asked."""

    def __init__(self) -> None:
        self.application = WsgiBridge(WSGIHandler(), threads=1, max_body_bytes=max_body_bytes)
        self.asked = 0

    async def __call__(self, *arguments: Any) -> None:
        self.asked += 1
        await self.application(*arguments)


@dataclass
class Site:
    """Two ways in, and two people who come by them."""

    people: list[tuple[User, str]]
    behind: Counted = field(default_factory=Counted)

    def __post_init__(self) -> None:
        self.doors: list[asgi_client.Application] = [
            self.behind.application,
            as_asgi_application(ClaimRoute(), application=self.behind),
        ]

    def post(self, path: str, shape: "Shape", **options: Any) -> AsgiResponse:
        """The answer that both gave, but for numbers of orders."""
        said = [
            asgi_client.run_together(
                partial(asgi_client.send_request, door, path, **shape.options(raw), **options)
            )[0]
            for door, (_, raw) in zip(self.doors, self.people, strict=True)
        ]
        first, second = map(without_numbers, said)
        assert second == first
        return said[0]

    def orders(self, sale: FlashSale) -> list[tuple[bool, str, int]]:
        """What each person has afterwards: an order, the request token they gave, attempts counted."""
        entries = [client.get().hget(keys.for_sale(sale.pk).buyers, str(user.pk)) for user, _ in self.people]
        hits = [
            client.get().strlen(limiter.build_key(limits.CLAIM_LIMIT, user.pk)) for user, _ in self.people
        ]
        given = [str(entry).partition(":")[2] if entry else "" for entry in entries]
        return [
            (bool(entry), token if len(token) < 32 else "new", count)
            for entry, token, count in zip(entries, given, hits, strict=True)
        ]


@dataclass(frozen=True)
class Shape:
    """One way to write a claim; `login` names the header that brings the log-in."""

    login: str = "cookie"
    kind: str = ""
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = (("sec-fetch-site", "same-origin"),)
    cookies: str = "savor_token={}"

    def options(self, raw: str) -> dict[str, Any]:
        headers = list(self.headers)
        if self.login == "bearer":
            headers.append(("authorization", f"Bearer {raw}"))
        elif self.login == "cookie":
            headers.append(("cookie", self.cookies.format(raw)))
        if self.kind:
            headers.append(("content-type", self.kind))
        if self.body:
            headers.append(("content-length", str(len(self.body))))
        return {"headers": headers, "body": self.body}


def without_numbers(said: AsgiResponse) -> AsgiResponse:
    headers = {name: NUMBER.sub("…", value) for name, value in with_length_checked(said).items()}
    body = RECEIPT.sub(read_receipt, said.body)
    return AsgiResponse(said.status, headers, NUMBER.sub("…", body))


def with_length_checked(said: AsgiResponse) -> dict[str, str]:
    """The headers; people's numbers differ in length, so the length says whether it is the body's."""
    is_right = said.headers.get("content-length") in {None, str(len(said.body.encode()))}
    found = said.headers | {"content-length": "right" if is_right else "wrong"}
    return found | {"retry-after": wait} if (wait := round_wait(said)) else found


def round_wait(said: AsgiResponse) -> str | None:
    """Retry-After, or "minutes": of two who ask in turn on a stalled machine one waits seconds less."""
    wait = said.headers.get("retry-after")
    return "minutes" if wait and int(wait) > 60 else wait


def read_receipt(match: re.Match[str]) -> str:
    """What a genuine receipt says but for its order, its person and a token that the site made."""
    receipt = receipts.read_receipt(match[0])
    token = receipt.request_token if len(receipt.request_token) < 32 else "new"
    return repr(receipt._replace(order_id=0, user_id=0, request_token=token))
