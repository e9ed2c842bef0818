"""The attacks: what one client, or a crowd, sends to take the site from others."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass

import redis

from lab.campaign.attacks.senders import SOURCE, Target, flood, gather, hold_open, others_source
from lab.campaign.web_client import json_body
from tests.crowd.http_connection import ConnectionLost, HttpConnection
from tests.faults import test_slow_clients as slow

AGENT = "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0"
EVENT_STREAM = "Accept: text/event-stream"
#: Whose code strangers guess.
PHONE = "+8613700000042"


@dataclass(frozen=True)
class Attack:
    """What it is, how it is done, and the seconds that others may wait for at p99 during it."""

    about: str
    run: Callable[[Target], Coroutine[None, None, None]]
    most_p99: float = 0.25


async def ask_for_unreadable_ids(target: Target) -> None:
    def build(number: int) -> bytes:
        path = f"/api/notes/{10**20 + number}" if number % 2 else f"/api/shops/x{number}"
        return target.head(path, f"X-Large: {'x' * 10_000}")

    await flood(target, build, connections=4)


async def ask_behind_refused_streams(target: Target) -> None:
    sent = target.head("/api/live", EVENT_STREAM) + target.head("/healthz")
    await hold_open(target, sent, target.number(300), answers=2)
    if target.answers["unanswered"]:
        target.broken.append("requests behind refused streams were not answered")


async def ask_for_covers(target: Target) -> None:
    shops = target.shops
    await flood(target, lambda n: target.head(f"/covers/{shops[n % len(shops)]}.png"), connections=1)


async def search_made_up_places(target: Target) -> None:
    def build(number: int) -> bytes:
        place = f"lat={number % 90}.{number:05d}&lng={number % 180}.{number:05d}"
        wrong = "&sort=unknown" if number % 3 == 0 else ""
        return target.head(f"/api/search?q=noodle&{place}{wrong}")

    await flood(target, build, connections=4)


async def search_past_the_limit(target: Target) -> None:
    """Two hundred a second: what is allowed is used up in the first seconds, and the rest is refused."""
    await flood(
        target, lambda n: target.head(f"/search/?q=noodle{n % 7}"), connections=8, pause=0.04, of_many=True
    )


async def preview_links(target: Target) -> None:
    """Bots of messengers, each from an address of its own, look at links that somebody has marked."""
    bot = "User-Agent: facebookexternalhit/1.1"

    def build(number: int) -> bytes:
        path = f"/notes/{target.notes[number % len(target.notes)]}/" if number % 2 else "/"
        return target.head(f"{path}?fbclid={number}", bot)

    await flood(target, build, connections=target.number(50), pause=0.3, of_many=True)


async def ask_for_eight_pages_at_once(target: Target) -> None:
    def build(number: int) -> bytes:
        return target.head(f"/shops/{target.shops[number % len(target.shops)]}/?x={number}", AGENT)

    await flood(target, build, connections=8)


async def pipeline_behind_a_slow_request(target: Target) -> None:
    many = target.head("/search/?q=hot%20pot") + target.head("/healthz") * target.number(9_000)

    async def send() -> None:
        while not target.is_over:
            reader, writer = await asyncio.open_connection("127.0.0.1", target.port, local_addr=(SOURCE, 0))
            try:
                writer.write(many)
                async with asyncio.timeout_at(asyncio.get_running_loop().time() + target.seconds):
                    while received := await reader.read(65_536):
                        target.answers["200"] += received.count(b"HTTP/1.1 200")
            except (OSError, TimeoutError):
                target.answers["cut"] += 1
            finally:
                writer.transport.abort()

    await gather([send() for _ in range(10)])


async def ask_while_redis_is_frozen(target: Target) -> None:
    os.kill(target.redis_pid, signal.SIGSTOP)
    try:
        token = f"Authorization: Bearer {target.tokens[-1]}"
        await flood(target, lambda _: target.head("/api/me/page?bells=1", token), connections=20, pause=0.2)
    finally:
        os.kill(target.redis_pid, signal.SIGCONT)


async def come_as_a_crowd(target: Target) -> None:
    """Streams that stay, and in two seconds a page, a personal part and a claim from each of many."""
    stream = target.head(f"/api/vouchers/{target.sale}/stock", EVENT_STREAM)
    streams = hold_open(target, stream, target.number(2_000), answers=1, of_many=True)
    crowd = list(target.tokens[-target.number(3_000) :])
    began = time.monotonic()

    async def visit(number: int) -> None:
        await asyncio.sleep(max(0, began + number * 2 / len(crowd) - time.monotonic()))
        bearer = f"Authorization: Bearer {crowd[number]}"
        requests = [
            target.head(f"/vouchers/{target.sale}/"),
            target.head(f"/api/me/page?sale={target.sale}", bearer),
            target.head(f"/api/vouchers/{target.sale}/seckill", bearer, "Content-Length: 0", method="POST"),
        ]
        for request in requests:
            target.count(await target.ask(request, source=others_source(number)))

    await gather([streams, *(visit(number) for number in range(len(crowd)))])


async def fill_the_log(target: Target) -> None:
    def build(number: int) -> bytes:
        kinds = [
            target.head("/", host=f"evil{number}.example"),
            target.head(f"/admin/monitoring/{number}/"),
            target.head(f"/wp-login-{number}.php"),
            target.head(f"/vouchers/{target.sale}/grab/", "Origin: https://evil.example", "Content-Length: 0",
                        method="POST"),
        ]  # fmt: skip
        return kinds[number % len(kinds)]

    async def leave() -> None:
        while not target.is_over:
            _, writer = await asyncio.open_connection("127.0.0.1", target.port, local_addr=(SOURCE, 0))
            writer.write(target.head("/search/?q=noodle"))
            await asyncio.sleep(0.02)
            writer.transport.abort()
            target.answers["left"] += 1

    await gather([flood(target, build, connections=4), leave()])


async def burn_codes(target: Target) -> None:
    """Guess the code of a phone, with and without requests; then its owner types the right one."""
    asked = await target.ask(target.post("/api/auth/code", json_body(phone=PHONE)), source="127.0.0.9")
    if asked is None or asked.status != 202:
        target.broken.append(f"no code was sent: {asked and asked.status}")
        return

    def build(number: int) -> bytes:
        guess = {"phone": PHONE, "code": f"{number % 10**6:06d}"}
        guess |= {"request": f"{number:022d}"} if number % 2 else {}
        return target.post("/api/auth/login", json_body(**guess))

    await flood(target, build, connections=4, pause=0.05)
    right = json_body(phone=PHONE, code=str(asked.json["debug_code"]), request=str(asked.json["request"]))
    entered = await target.ask(target.post("/api/auth/login", right), source="127.0.0.9")
    if entered is None or entered.status != 200:
        target.broken.append(f"the owner of the phone was refused: {entered and entered.status}")


async def drain_an_advertiser(target: Target) -> None:
    """Click on ads as many visitors that are made up; an advertiser pays for none of them."""
    before = _read_clicks(target)

    async def click(number: int) -> None:
        connection = await HttpConnection.open("127.0.0.1", target.port, source="127.6.6.6")
        cookie = f"Cookie: savor_visitor={number:022d}"
        try:
            shop = target.shops[number % len(target.shops)]
            served = await connection.ask(
                target.head(f"/api/ads?place=shop&shop={shop}", AGENT, cookie), seconds=10
            )
            target.count(served)
            if served.status != 200:
                return
            for step in ("view", "click"):
                path = f"/api/ads/{served.json['ticket']}/{step}"
                target.count(await connection.ask(target.post(path, b"", AGENT, cookie), seconds=10))
                await asyncio.sleep(1.1 if step == "view" else 0)
        except ConnectionLost:
            target.count(None)
        finally:
            connection.close()

    number = 0
    while not target.is_over:
        await gather([click(number + each) for each in range(20)])
        number += 20
    paid = sum(_read_clicks(target).values()) - sum(before.values())
    if paid > 0:
        target.broken.append(f"{paid} clicks of visitors that are made up were paid")
    target.answers["clicks paid"] += paid


def _read_clicks(target: Target) -> dict[str, int]:
    """Paid clicks by ad."""
    with redis.Redis.from_url(target.redis_url, decode_responses=True) as connected:
        found = list(connected.scan_iter("savor:ads:*counts:*"))
        return {str(key): int(str(connected.hget(key, "clicks") or 0)) for key in found}


async def drip(target: Target) -> None:
    bodies = hold_open(target, slow.BODY, target.number(1_000))
    await gather([hold_open(target, slow.HEAD, target.number(5_000), drip=b"x"), bodies])


async def send_dear_bodies(target: Target) -> None:
    """JSON that nests, forms of many fields, queries of many parameters, bodies in chunks of a byte."""
    deep = b"[" * 60_000
    fields = "&".join(f"f{number}=1" for number in range(8_000))
    form = "Content-Type: application/x-www-form-urlencoded"

    def build(number: int) -> bytes:
        kinds = [
            target.post("/api/auth/code", deep),
            target.post("/api/auth/login", b'{"phone": ' + b"9" * 50_000 + b"}"),
            target.head("/login/code/", form, f"Content-Length: {len(fields)}", method="POST")
            + fields.encode(),
            target.head(f"/search/?{fields[:30_000]}&q={number}"),
            target.head("/api/auth/code", "Transfer-Encoding: chunked", method="POST")
            + b"1\r\nx\r\n" * 5_000 + b"0\r\n\r\n",
        ]  # fmt: skip
        return kinds[number % len(kinds)]

    await flood(target, build, connections=4)


async def ask_for_dear_documents(target: Target) -> None:
    """What is drawn, listed or described as a whole."""
    shops, notes = target.shops, target.notes
    paths = ["/sitemap.xml", "/sitemap/lists.xml", "/sitemap/shops-1.xml", "/sitemap/notes-1.xml",
             "/api/openapi.json", "/api/docs", "/shops/map/ground/", "/patterns/", "/rankings/"]  # fmt: skip

    def build(number: int) -> bytes:
        more = [
            f"/covers/{shops[number % len(shops)]}.svg",
            f"/notes/{notes[number % len(notes)]}/?x={number}",
        ]
        return target.head((paths + more)[number % (len(paths) + 2)])

    await flood(target, build, connections=4)


ATTACKS: Mapping[str, Attack] = {
    "ids": Attack("unreadable ids with heads of 10 kB, 4 connections in a row", ask_for_unreadable_ids),
    "streams": Attack(
        "300 connections with a refused live stream and a request behind it", ask_behind_refused_streams
    ),
    "covers": Attack("pictures for link previews, one connection in a row", ask_for_covers),
    "searches": Attack("searches at made-up places, 4 connections in a row", search_made_up_places),
    "refusals": Attack("searches past the limit, 8 addresses, 200 a second", search_past_the_limit),
    "previews": Attack("link previews with marks, 50 addresses, 160 a second", preview_links),
    "pages": Attack("pages that are in no memory, one address, 8 at once", ask_for_eight_pages_at_once),
    "pipelines": Attack(
        "9,000 requests in one go behind a search, on 10 connections", pipeline_behind_a_slow_request
    ),
    "frozen": Attack(
        "Redis stopped, 20 connections ask for personal parts", ask_while_redis_is_frozen, most_p99=1.0
    ),
    "crowd": Attack("2,000 streams; 3,000 x page, personal part, claim in two seconds", come_as_a_crowd),
    "logs": Attack("wrong hosts, 403, 404, clients who leave, 5 connections in a row", fill_the_log),
    "codes": Attack("guesses at a phone's log-in code, 80 a second", burn_codes),
    "ads": Attack("clicks on ads by made-up visitors, 20 at a time", drain_an_advertiser),
    "slow": Attack("5,000 drip a head, 1,000 leave a body open", drip),
    "bodies": Attack("deep JSON, 8,000 fields, chunks of a byte, 4 connections in a row", send_dear_bodies),
    "documents": Attack(
        "sitemaps, API documents, maps, covers, 4 connections in a row", ask_for_dear_documents
    ),
}
