"""Measures the shared pages and the personal part against hello worlds of the same size."""

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import mean
from urllib.parse import urlsplit

from lab.bench.journey import claim_group
from lab.bench.seckill import case_rounds, web_servers
from lab.bench.seckill.case_rounds import Case, Section
from lab.bench.seckill.harness import Bench, describe_round
from lab.bench.seckill.request_generator import RequestPlan
from lab.bench.seckill.web_servers import ASGI, Server
from tests.crowd import people
from tests.crowd.http_connection import HttpConnection, Reply
from tests.crowd.request_templates import Crowd

SIZED_HELLO = "lab.bench.hello:sized_application"
FIRST_PAGE, FURTHER_PAGES = "personal part, mostly first pages", "personal part, further pages"
#: The least of hello world's rate, by page.
MIN_RATIOS = {"sale": 0.5, "home": 0.4, "shop": 0.4, "note": 0.4, FIRST_PAGE: 0.3, FURTHER_PAGES: 0.3}
#: People who have opened a page within the last minute, and open another one.
READERS = 2_000
#: A sale under way that lasts, the shop with the most notes, the hottest note.
SALE_SQL = (
    "SELECT voucher_id FROM coupons_flashsale JOIN coupons_voucher ON coupons_voucher.id = voucher_id "
    "WHERE is_offered AND begins_at < CURRENT_TIMESTAMP ORDER BY ends_at DESC LIMIT 1"
)
SHOP_SQL = (
    "SELECT shop_id FROM blog_note JOIN shops_shop ON shops_shop.id = shop_id WHERE is_listed "
    "GROUP BY shop_id ORDER BY count(*) DESC LIMIT 1"
)
NOTE_SQL = "SELECT id FROM blog_note ORDER BY heat DESC LIMIT 1"


def measure_pages(bench: Bench) -> Section:
    """Measure each page in turn with a hello world that answers as many bytes."""
    found = bench.measure(*_cases(bench), rounds=bench.sizes.few_rounds)
    pairs = [(page, found[number + 1]) for number, page in enumerate(found) if number % 2 == 0]
    bars = [
        case_rounds.faster(f"{page.case.name}, against hello world", page, hello, MIN_RATIOS[page.case.name])
        for page, hello in pairs
    ]
    about = (
        f"64 connections; {describe_round(bench.sizes)}. Five browsers with their headers, languages and the "
        "session's cookie. The hello world beside each answers as many bytes as the page has on the wire, "
        f"compressed, on average. The personal part is asked for by {READERS:,} people who look around, and "
        f"by {bench.ground.people:,}, of whom most open their first page: SQL answers that, Redis the next."
    )
    return bench.section(
        "The journey: pages and the personal part", found, about, *bars, claim_group.generator(found)
    )


def _cases(bench: Bench) -> Iterator[Case]:
    """Yield each page's case and its hello world's."""
    crowds = _crowds(bench)
    sizes = {name: asyncio.run(wire_size(bench, sale, crowd)) for name, (sale, crowd) in crowds.items()}
    hello = bench.enter_context(
        web_servers.run_granian(
            bench.ground.site, SIZED_HELLO, ASGI, HELLO_SIZES=" ".join(map(str, sizes.values()))
        )
    )
    for name, (sale, crowd) in crowds.items():
        tokens = _readers(bench) if name == FURTHER_PAGES else bench.ground.tokens
        plan = partial(_plan, bench, sale=sale, tokens=tokens)
        yield Case(name, bench.meter(bench.web), partial(plan, server=bench.web, crowd=crowd), "200")
        same = people.readers(f"/{sizes[name]}")
        about = f"hello world, {sizes[name]:,} bytes"
        yield Case(about, bench.meter(hello), partial(plan, server=hello, crowd=same), "200")


def _crowds(bench: Bench) -> dict[str, tuple[int, Crowd]]:
    """Return the sale that a page shows, if any, and the crowd that reads it, by the page's name."""
    sale, shop, note = (bench.ground.books.select(sql)[0][0] for sql in (SALE_SQL, SHOP_SQL, NOTE_SQL))
    paths = {"sale": people.SALE_PATH, "home": "/", "shop": f"/shops/{shop}/", "note": f"/notes/{note}/"}
    return {name: (int(sale), people.readers(path)) for name, path in paths.items()} | {
        name: (int(sale), people.personal()) for name in (FIRST_PAGE, FURTHER_PAGES)
    }


def _readers(bench: Bench) -> Path:
    """Return a file with the tokens of READERS."""
    path = bench.ground.site.directory / "readers.txt"
    path.write_text("\n".join(bench.ground.crowd[:READERS]) + "\n")
    return path


def _plan(bench: Bench, *, server: Server, sale: int, tokens: Path, crowd: Crowd) -> RequestPlan:
    return RequestPlan(server.url, [sale], tokens, "", seconds=bench.sizes.seconds, crowd=crowd)


async def wire_size(bench: Bench, sale: int, crowd: Crowd) -> int:
    """Return the mean bytes of the answers to a crowd's kinds; AssertionError for one that isn't 200."""
    address = urlsplit(bench.web.url)
    line = await HttpConnection.open(str(address.hostname), address.port or 80)
    replies: list[Reply] = []
    for number, (template,) in enumerate(crowd):
        request = template.fill(address.netloc, sale=sale, token=bench.ground.crowd[number], person=number)
        replies.append(await line.ask(request, seconds=30))
    line.close()
    assert all(reply.status == 200 for reply in replies), [
        (reply.status, reply.body[:200]) for reply in replies
    ]
    return round(mean(len(reply.body) for reply in replies))
