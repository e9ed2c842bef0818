"""Sends odd requests to a whole site with a city in it: API, pages, admin, raw bytes. None may be a 500."""

import asyncio
import json
import re
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from urllib.parse import quote, urlencode

import requests

from lab.bench import reports
from lab.campaign import report
from lab.campaign.campaign_site import CampaignSite, run_site
from lab.campaign.fuzzing.odd_values import odd_body, odd_bytes, odd_text
from tests.crowd.http_connection import ConnectionLost, HttpConnection, Reply

PEOPLE, CONNECTIONS, PATIENCE = 500, 24, 30.0
PHONE, PASSWORD = "13900000098", "a fuzzing manager's own words"
CREATE_BOSS = f"""
from apps.accounts.models import User
User.objects.create_superuser(phone="{PHONE}", password="{PASSWORD}")
"""
#: Pages that a crawl opens at most, of the site and of the admin.
CRAWLED = 400
LINK = re.compile(r'(?:href|action)="(/[^"#]*)"')
#: A fuzzed manager would otherwise log out, close the site, or empty it.
LEFT_OUT = ("/admin/logout", "/logout", "/static", "/media", "/admin/maintenance", "/admin/settings")


@dataclass
class Found:
    """The answers by area, and the requests that ended in an error."""

    answers: Counter[tuple[str, int]] = field(default_factory=Counter)
    errors: list[tuple[int, bytes]] = field(default_factory=list)

    def note(self, area: str, status: int, request: bytes, *, waits: bool = True) -> None:
        self.answers[area, status] += 1
        if (status >= 500 and status != 503) or (status == 503 and not waits):
            self.errors.append((status, request))


@dataclass
class Targets:
    """What there is to ask: operations of the API, links of pages and of the admin, log-ins."""

    host: str
    operations: list[tuple[str, str]]
    pages: list[str]
    admin: list[str]
    tokens: list[str]
    cookies: str
    fields: list[str]


def run(count: int, seed: int, until: float) -> int:
    """Send so many requests, or what fits until then (monotonic), and report; exit code 1 after an error."""
    with run_site(PEOPLE) as ground:
        ground.site.manage("seed_demo", "--shops", "60")
        ground.site.manage("shell", "-c", CREATE_BOSS)
        targets, found, began = _find_targets(ground), Found(), time.monotonic()
        asyncio.run(_fuzz(targets, found, count, Random(seed), until))
        seconds = time.monotonic() - began
    for status, request in found.errors[:20]:
        print(f"{status}: {request[:600]!r}", file=sys.stderr)
    report.finish("fuzz", _describe(found, seed, seconds, targets))
    return int(bool(found.errors))


def _describe(found: Found, seed: int, seconds: float, targets: Targets) -> str:
    rows = []
    for area in ("API", "pages", "admin", "raw bytes"):
        by = {status: times for (where, status), times in sorted(found.answers.items()) if where == area}
        shown = ", ".join(f"{status or 'closed'}: {times:,}" for status, times in by.items())
        rows.append((area, f"{sum(by.values()):,}", shown))
    table = reports.markdown_table(("area", "requests", "by status"), rows)
    total = found.answers.total()
    return (
        f"`make campaign ONLY=fuzz N={total} SEED={seed}`: {total:,} requests in {seconds / 60:.0f} "
        f"minutes, to {len(targets.operations)} operations of the API, {len(targets.pages)} pages and "
        f"{len(targets.admin)} addresses of the admin; {len(found.errors)} answers 500 (or 503 without "
        f"Retry-After). {report.machine()}.\n\n{table}"
    )


def _find_targets(ground: CampaignSite) -> Targets:
    url = ground.site.base_url
    with urllib.request.urlopen(f"{url}/api/openapi.json") as answer:
        document = json.load(answer)
    operations = [(method.upper(), path) for path, told in document["paths"].items() for method in told]
    fields = sorted(set(re.findall(r'"([a-z_]{2,30})":', json.dumps(document["components"]))))
    with requests.Session() as visitor, requests.Session() as boss:
        visitor.headers["Authorization"] = f"Bearer {ground.tokens[0]}"
        pages = _crawl(visitor, url, ["/", "/shops/", "/notes/", "/search/?q=tea", "/sales/", "/design/"])
        _log_in(boss, url)
        admin = _crawl(boss, url, ["/admin/"], within="/admin/")
        cookies = "; ".join(f"{name}={text}" for name, text in boss.cookies.items())
    host = url.removeprefix("http://")
    return Targets(host, operations, pages, admin, ground.tokens, cookies, fields)


def _log_in(boss: requests.Session, url: str) -> None:
    boss.get(f"{url}/admin/login/", timeout=PATIENCE)
    entered: dict[str, str | None] = {"username": PHONE, "password": PASSWORD, "next": "/admin/"}
    entered["csrfmiddlewaretoken"] = boss.cookies["csrftoken"]
    done = boss.post(f"{url}/admin/login/", data=entered, timeout=PATIENCE)
    assert done.url == f"{url}/admin/", done.url


def _crawl(browser: requests.Session, url: str, begin: list[str], *, within: str = "/") -> list[str]:
    """The addresses that links lead to, one for each shape: numbers in them count as the same."""
    shapes, waiting, found = set[str](), list(begin), list[str]()
    while waiting and len(found) < CRAWLED:
        path = waiting.pop(0).replace("&amp;", "&")
        shape = re.sub(r"\d+", "0", path.partition("?")[0])
        if shape in shapes or not path.startswith(within) or path.startswith(LEFT_OUT):
            continue
        if within == "/" and path.startswith("/admin"):
            continue
        shapes.add(shape)
        found.append(path)
        answer = browser.get(url + path, timeout=PATIENCE, stream=True)
        if "html" in answer.headers.get("Content-Type", ""):
            waiting += LINK.findall(answer.text)
        answer.close()
    return found


async def _fuzz(targets: Targets, found: Found, count: int, chance: Random, until: float) -> None:
    left = iter(range(count))

    async def ask_on() -> None:
        for _ in left:
            if time.monotonic() > until:
                break
            area = chance.choices(list(AREAS), [4, 3, 2, 1])[0]
            request = AREAS[area](targets, chance)
            reply = await (_send_raw if area == "raw bytes" else _send)(targets, request)
            waits = reply is None or reply.retry_after > 0
            found.note(area, reply.status if reply else 0, request, waits=waits)
            if (sent := found.answers.total()) % 5_000 == 0:
                print(f"{sent:,} sent, {len(found.errors)} errors", file=sys.stderr, flush=True)

    await asyncio.gather(*(ask_on() for _ in range(CONNECTIONS)))


async def _send(targets: Targets, request: bytes) -> Reply | None:
    """The answer, or None when the site ends the connection."""
    host, _, port = targets.host.partition(":")
    line = None
    try:
        line = await HttpConnection.open(host, int(port))
        return await line.ask(request, seconds=PATIENCE)
    except ConnectionLost:
        return None
    finally:
        if line:
            line.close()


async def _send_raw(targets: Targets, request: bytes) -> Reply | None:
    """What comes back to bytes that may be no request; the status of the first line."""
    host, _, port = targets.host.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(request)
        writer.write_eof()
        first = await asyncio.wait_for(reader.read(4_096), PATIENCE)
    except (TimeoutError, OSError):
        return None
    finally:
        writer.close()
    status = re.match(rb"HTTP/1\.1 (\d{3}) ", first)
    wait = re.search(rb"(?i)retry-after: (\d+)", first)
    return Reply(int(status[1]), b"", float(wait[1]) if wait else 0.0) if status else None


def _head(targets: Targets, method: str, path: str, body: bytes, chance: Random, **headers: str) -> bytes:
    """A request that is HTTP, whatever it asks."""
    address = f"10.{chance.randrange(256)}.{chance.randrange(256)}.{chance.randrange(256)}"
    told = {"Host": targets.host, "Content-Length": str(len(body)), "X-Forwarded-For": address, **headers}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {text}" for name, text in told.items())]
    return "\r\n".join(lines).encode("utf-8", "replace") + b"\r\n\r\n" + body


def _api_request(targets: Targets, chance: Random) -> bytes:
    method, pattern = chance.choice(targets.operations)
    path = re.sub(r"\{\w+\}", lambda _: quote(odd_text(chance, ids=True), safe=""), pattern)
    body, kind = odd_body(chance, targets.fields) if method != "GET" or chance.random() < 0.05 else (b"", "")
    headers = {"Content-Type": kind} if kind else {}
    if chance.random() < 0.8:
        headers["Authorization"] = f"Bearer {chance.choice(targets.tokens)}"
    if chance.random() < 0.2:
        headers["Idempotency-Key"] = quote(odd_text(chance), safe=" ")
    return _head(
        targets, method, f"/api{path.removeprefix('/api')}{_query(targets, chance)}", body, chance, **headers
    )


def _page_request(targets: Targets, chance: Random) -> bytes:
    headers = {"Cookie": f"savor_token={chance.choice(targets.tokens)}"} if chance.random() < 0.6 else {}
    return _visit(targets, targets.pages, chance, headers)


def _admin_request(targets: Targets, chance: Random) -> bytes:
    return _visit(targets, targets.admin, chance, {"Cookie": targets.cookies})


def _visit(targets: Targets, paths: list[str], chance: Random, headers: dict[str, str]) -> bytes:
    path = chance.choice(paths)
    if chance.random() < 0.4:
        path = re.sub(r"\d+", lambda _: quote(odd_text(chance, ids=True), safe=""), path)
    path = path.partition("?")[0] + _query(targets, chance, known=path.partition("?")[2])
    if chance.random() < 0.75:
        return _head(targets, "GET", path, b"", chance, **headers)
    body, kind = odd_body(chance, targets.fields, form=True)
    method = chance.choice(["POST", "POST", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
    return _head(targets, method, path, body, chance, **headers | {"Content-Type": kind})


def _query(targets: Targets, chance: Random, *, known: str = "") -> str:
    if chance.random() < 0.4:
        return f"?{known}" if known else ""
    names = [chance.choice([*targets.fields, *QUERY_NAMES]) for _ in range(chance.randint(1, 4))]
    names += [name for name in re.findall(r"([\w.-]+)=", known) if chance.random() < 0.7]
    return "?" + urlencode([(name, odd_text(chance)) for name in names])


def _raw_request(targets: Targets, chance: Random) -> bytes:
    return odd_bytes(chance, _api_request(targets, chance))


QUERY_NAMES = (
    *(
        "q",
        "cursor",
        "page",
        "p",
        "o",
        "sort",
        "kind",
        "city",
        "area",
        "lat",
        "lng",
        "km",
        "next",
        "lang",
        "e",
    ),
    *(
        "limit",
        "price",
        "rating",
        "open",
        "type",
        "_popup",
        "all",
        "id__exact",
        "status__exact",
        "since",
        "day",
    ),
)
AREAS: dict[str, Callable[[Targets, Random], bytes]] = {
    "API": _api_request,
    "pages": _page_request,
    "admin": _admin_request,
    "raw bytes": _raw_request,
}
