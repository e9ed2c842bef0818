"""People who use the whole site for hours at a steady rate: they read, search, buy, like, chat, log in."""

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from urllib.parse import quote

from lab.campaign.web_client import json_body
from tests.crowd import agents
from tests.crowd.http_connection import ConnectionLost, HttpConnection, Reply

PATIENCE = 30.0
NUMBER = re.compile(r"[0-9]+")
JSON = {"Content-Type": "application/json"}
PUBLIC_PAGES = (
    "/", "/sales/", "/shops/", "/shops/?type=ktv&sort=price", "/shops/?type=bar&city=shanghai", "/shops/map/",
    "/notes/", "/rankings/", "/people/", "/patterns/", "/help/", "/login/", "/sitemap.xml", "/robots.txt",
)  # fmt: skip
OWN_PAGES = (
    "/feed/",
    "/me/",
    "/orders/",
    "/chats/",
    "/me/saves/",
    "/notifications/",
    "/me/notes/",
    "/recent/",
)
WORDS = ("noodle", "hot pot", "coffee", "火锅", "咖啡", "tea house", "dumpling", "烧烤", "sushi", "karaoke")
#: Mobile numbers whose codes the demo shows.
PHONES = [f"+86139{number:08d}" for number in range(40)]


@dataclass
class Traffic:
    """One site's visitors, who send `rate` requests a second together; `answers` counts what came."""

    port: int
    tokens: Sequence[str]
    shops: Sequence[int]
    notes: Sequence[int]
    sales: list[int]
    chance: Random
    rate: float
    answers: Counter[str] = field(default_factory=Counter)
    bad: int = 0
    #: Refusals of what people do, with numbers left out.
    refusals: Counter[str] = field(default_factory=Counter)
    #: Answers 500, or 503 without Retry-After, with their requests.
    errors: list[str] = field(default_factory=list)
    #: Accepted orders, and those that the site has denied afterwards.
    accepted: int = 0
    lost: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._turn = asyncio.Lock()

    async def wait_turn(self) -> None:
        """Wait until the next request of all may go."""
        async with self._turn:
            await asyncio.sleep(self.chance.expovariate(self.rate))

    def source(self) -> str:
        """An address of this machine, as a person's own."""
        numbers = (self.chance.randrange(1, 255) for _ in range(3))
        return f"127.{'.'.join(map(str, numbers))}"

    def counts(self) -> dict[str, int]:
        """Requests, and what came of them up to now."""
        return {
            "requests": self.answers.total(),
            "bad": self.bad,
            "accepted": self.accepted,
            "lost": len(self.lost),
            "errors": len(self.errors),
        }

    def note_answer(self, request: str, reply: Reply | None) -> None:
        """Count an answer, None for a connection that ended without one."""
        self.answers["none" if reply is None else str(reply.status)] += 1
        if reply and reply.status >= 400:
            self.refusals[f"{NUMBER.sub('N', request)} {reply.status} {reply.code}"] += 1
        if reply and reply.status >= 500 and not (reply.status == 503 and reply.retry_after):
            self.errors.append(f"{reply.status} {request}")


@dataclass
class Visitor:
    """One person on one connection."""

    traffic: Traffic
    token: str
    connection: HttpConnection

    @classmethod
    async def come(cls, traffic: Traffic) -> "Visitor":
        """Somebody with a log-in, from an address of their own."""
        connection = await HttpConnection.open("127.0.0.1", traffic.port, source=traffic.source())
        return cls(traffic, traffic.chance.choice(traffic.tokens), connection)

    def leave(self) -> None:
        self.connection.close()

    async def open_page(self, path: str, *, logged_in: bool = False, language: str = "") -> Reply:
        """Open a page as a browser does."""
        told = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin", "Accept-Encoding": "gzip"}
        told["Accept-Language"] = language or self.traffic.chance.choice(agents.LANGUAGES)
        told |= {"Cookie": f"savor_token={self.token}"} if logged_in else {}
        return await self.ask("GET", path, told)

    async def call(self, method: str, path: str, body: bytes = b"", *, token: str = "") -> Reply:
        """Call the API as an app does."""
        told = {"Authorization": f"Bearer {token or self.token}"} | (JSON if body else {})
        return await self.ask(method, path, told, body)

    async def ask(self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> Reply:
        """Send one request when its turn has come; ConnectionLost without an answer."""
        await self.traffic.wait_turn()
        host = f"127.0.0.1:{self.traffic.port}"
        lines = {
            "Host": host,
            **({"Content-Length": str(len(body))} if body or method != "GET" else {}),
            **headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        reply = None
        try:
            reply = await self.connection.ask(
                f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body, seconds=PATIENCE
            )
        finally:
            self.traffic.note_answer(f"{method} {path}", reply)
        return reply


async def read_public_pages(one: Visitor) -> None:
    """A stranger's walk: lists, a shop, its notes, its picture for link previews."""
    chance, shop = one.traffic.chance, one.traffic.chance.choice(one.traffic.shops)
    note, sale = chance.choice(one.traffic.notes), chance.choice(one.traffic.sales)
    pages = [*PUBLIC_PAGES, *_shop_pages(shop), *_note_pages(note), f"/vouchers/{sale}/"]
    pages += [f"/covers/{shop}.png", f"/api/vouchers/{sale}/stock", "/api/notes/hot"]
    for path in chance.sample(pages, 3):
        await one.open_page(path)


def _shop_pages(shop: int) -> list[str]:
    return [f"/shops/{shop}/", f"/shops/{shop}/notes/", f"/shops/{shop}/photos/", f"/api/shops/{shop}"]


def _note_pages(note: int) -> list[str]:
    return [f"/notes/{note}/", f"/notes/{note}/comments/"]


async def open_every_page(traffic: Traffic) -> None:
    """Open each page of the shops and notes in each language: a process keeps them, up to 128 MB."""
    shops = [page for shop in traffic.shops for page in _shop_pages(shop)]
    notes = [page for note in traffic.notes for page in _note_pages(note)]
    for language in agents.LANGUAGES[:2]:
        one = await Visitor.come(traffic)
        for page in [*PUBLIC_PAGES, *shops, *notes]:
            await one.open_page(page, language=language)
        one.leave()


async def read_own_pages(one: Visitor) -> None:
    """A page, and what of it is the reader's own."""
    chance = one.traffic.chance
    await one.open_page(f"/vouchers/{chance.choice(one.traffic.sales)}/", logged_in=True)
    await one.call("GET", f"/api/me/page?sale={chance.choice(one.traffic.sales)}")
    await one.open_page(chance.choice(OWN_PAGES), logged_in=True)
    await one.call(
        "GET", f"/api/me/page?notes={','.join(map(str, chance.sample(one.traffic.notes, 5)))}&bells=1"
    )


async def search(one: Visitor) -> None:
    """Suggestions while typing, then the results, near a place or not."""
    chance = one.traffic.chance
    word = quote(chance.choice(WORDS))
    await one.call("GET", f"/api/suggest?q={word[:2] if word.isascii() else word}")
    place = (
        f"&lat={30 + chance.random():.4f}&lng={120 + chance.random():.4f}" if chance.random() < 0.3 else ""
    )
    await one.call("GET", f"/api/search?q={word}{place}")
    await one.open_page(f"/search/?q={word}")


async def buy(one: Visitor) -> None:
    """Claim, look at the order, then pay for it and get the money back, or cancel."""
    chance, sale = one.traffic.chance, one.traffic.chance.choice(one.traffic.sales)
    reply = await one.call("POST", f"/api/vouchers/{sale}/seckill")
    if reply.status != 201:
        return
    one.traffic.accepted += 1
    order = reply.order_id
    for _ in range(20):
        looked = await one.call("GET", f"/api/orders/{order}")
        if looked.status != 200 or looked.json["status"] != "queued":
            break
    if looked.status != 200:
        one.traffic.lost.append(f"order {order}: {looked.status} {looked.code}")
        return
    if chance.random() < 0.4:
        begun = await one.call("POST", f"/api/orders/{order}/pay")
        if begun.status == 200:
            form = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
            page = str(begun.json["pay_url"]).partition(f":{one.traffic.port}")[2]
            await one.ask("POST", page, form | {"Authorization": f"Bearer {one.token}"}, b"press=pay")
            if chance.random() < 0.7:
                await one.call("POST", f"/api/orders/{order}/refund")
    else:
        await one.call("POST", f"/api/orders/{order}/cancel")


async def like_and_follow(one: Visitor) -> None:
    """Like a note, take it back, comment, follow, save, sign in for the day."""
    chance, note = one.traffic.chance, one.traffic.chance.choice(one.traffic.notes)
    await one.call("PUT", f"/api/notes/{note}/like")
    await one.call("DELETE", f"/api/notes/{note}/like")
    if chance.random() < 0.3:
        await one.call("POST", f"/api/notes/{note}/comments", json_body(text="The noodles are good."))
    shop = chance.choice(one.traffic.shops)
    await one.call("PUT", f"/api/shops/{shop}/save")
    await one.call("DELETE", f"/api/shops/{shop}/save")
    await one.call("POST", "/api/sign-ins")
    await one.call("GET", "/api/feed")


async def chat(one: Visitor) -> None:
    """Write to somebody, read, mark as seen."""
    me = await one.call("GET", "/api/me")
    if me.status != 200:
        return
    chance = one.traffic.chance
    friend = int(me.json["id"]) + chance.choice([-1, 1])
    opened = await one.call("POST", "/api/chats", b'{"member_ids": [%d]}' % friend)
    if opened.status not in (200, 201):
        return
    number = opened.json["id"]
    written = json_body(text="See you at eight?", client_id=f"{chance.getrandbits(64):x}")
    await one.call("POST", f"/api/chats/{number}/messages", written)
    await one.call("GET", f"/api/chats/{number}/messages")


async def hold_stream(one: Visitor) -> None:
    """A person's live stream for some seconds, ended in the middle."""
    chance, sale = one.traffic.chance, one.traffic.chance.choice(one.traffic.sales)
    await one.traffic.wait_turn()
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", one.traffic.port, local_addr=(one.traffic.source(), 0)
    )
    head = (
        f"GET /api/live?sales={sale} HTTP/1.1\r\nHost: 127.0.0.1:{one.traffic.port}\r\n"
        f"Accept: text/event-stream\r\nAuthorization: Bearer {one.token}\r\n\r\n"
    )
    writer.write(head.encode())
    ends = asyncio.get_running_loop().time() + chance.uniform(2, 40)
    answer = b""
    with suppress(TimeoutError, OSError):
        async with asyncio.timeout_at(ends):
            while received := await reader.read(4_096):
                answer = answer or received
    one.traffic.answers[f"stream {answer[9:12].decode()}"] += 1
    writer.transport.abort()


async def log_in_and_out(one: Visitor) -> None:
    """Ask for a code, type it, look, log out."""
    phone = one.traffic.chance.choice(PHONES)
    sent = await one.ask("POST", "/api/auth/code", JSON, json_body(phone=phone))
    if sent.status != 202:
        return
    told = json_body(phone=phone, code=str(sent.json["debug_code"]), request=str(sent.json["request"]))
    entered = await one.ask("POST", "/api/auth/login", JSON, told)
    if entered.status == 200:
        token = str(entered.json["token"])
        await one.call("GET", "/api/me", token=token)
        await one.call("POST", "/api/auth/logout", token=token)


#: What people do, by how often.
ACTS: Mapping[Callable[[Visitor], Awaitable[None]], int] = {
    read_public_pages: 30,
    read_own_pages: 20,
    search: 10,
    buy: 10,
    like_and_follow: 8,
    chat: 5,
    hold_stream: 10,
    log_in_and_out: 3,
}


async def act_once(traffic: Traffic) -> None:
    """One person comes, does one of ACTS, and goes."""
    [act] = traffic.chance.choices(list(ACTS), list(ACTS.values()))
    try:
        one = await Visitor.come(traffic)
    except ConnectionLost:
        traffic.answers["refused"] += 1
        return
    try:
        with suppress(ConnectionLost):
            await act(one)
    finally:
        one.leave()
