"""Others' waits beside a PostgreSQL in trouble: `python -m lab.bench.sql_trouble [seconds]` prints a table.

A site of its own, with the deadlines of the defaults: twelve people ask on and on for pages of the table that
is in trouble; four others ask for a page of the event loop, a personal part, and a page of Django's threads.
"""

import asyncio
import sys
import tempfile
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

from lab.bench.reports import markdown_table
from lab.campaign import report
from tests.crowd.http_connection import ConnectionLost, HttpConnection
from tests.faults import sql_trouble
from tests.sites import Site

TROUBLED, OTHERS = ("/api/shops", "/search/?q=tea"), ("/terms/", "/api/me/page", "/admin/login/")
TROUBLE: dict[str, sql_trouble.Trouble | None] = {
    "none": None,
    "a table is locked": sql_trouble.locked_table,
    "frozen (SIGSTOP)": sql_trouble.frozen,
    "answers are dropped": sql_trouble.dropped_packets,
    "all connections are taken": sql_trouble.taken_connections,
    "read-only": sql_trouble.read_only,
}


async def ask_on(
    site: Site, source: str, paths: tuple[str, ...], until: float, found: list[tuple[str, int, float]]
) -> None:
    """Ask for these paths in turn on one connection, and note each answer's status and seconds."""
    connection = None
    number = 0
    while time.monotonic() < until:
        path, number = paths[number % len(paths)], number + 1
        began, status = time.monotonic(), 0
        try:
            connection = connection or await HttpConnection.open("127.0.0.1", site.port, source=source)
            request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n\r\n"
            status = (await connection.ask(request.encode(), seconds=60)).status
        except ConnectionLost:
            connection = None
        found.append((path, status, time.monotonic() - began))
        await asyncio.sleep(0.05)
    if connection:
        connection.close()


async def measure(
    site: Site, seconds: float
) -> tuple[list[tuple[str, int, float]], list[tuple[str, int, float]]]:
    """The answers to those in trouble, and to others."""
    until = time.monotonic() + seconds
    troubled, others = list[tuple[str, int, float]](), list[tuple[str, int, float]]()
    people = [ask_on(site, f"127.7.0.{one + 1}", TROUBLED, until, troubled) for one in range(12)]
    beside = [ask_on(site, f"127.8.0.{one + 1}", OTHERS, until, others) for one in range(4)]
    await asyncio.gather(*people, *beside)
    return troubled, others


def describe(
    name: str, troubled: list[tuple[str, int, float]], others: list[tuple[str, int, float]]
) -> list[str]:
    """A row of the table."""
    statuses = ", ".join(
        f"{count} x {status}" for status, count in Counter(one[1] for one in troubled).most_common()
    )
    waits = [f"{max((seconds for _, _, seconds in troubled), default=0):.2f} s"]
    for path in OTHERS:
        waits.append(
            f"{report.percentile([s for each, _, s in others if each == path], 0.99) * 1000:,.0f} ms"
        )
    wrong = sum(status != 200 for _, status, _ in others)
    return [name, statuses, *waits, str(wrong)]


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    rows = []
    with (
        sql_trouble.run_server() as server,
        tempfile.TemporaryDirectory() as place,
        Site(Path(place), DATABASE_URL=server.wired_url) as site,
    ):
        site.start("web")
        asyncio.run(measure(site, 3))
        for name, trouble in TROUBLE.items():
            with trouble(server) if trouble else nullcontext():
                found = asyncio.run(measure(site, seconds))
            rows.append(describe(name, *found))
            asyncio.run(measure(site, 3))
    head = [
        "PostgreSQL",
        "twelve who need it",
        "longest of them",
        *(f"`{path}`, p99" for path in OTHERS),
        "not 200",
    ]
    print(markdown_table(head, rows))
    print(report.machine())


if __name__ == "__main__":
    main()
