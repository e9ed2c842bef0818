"""The site measures itself in every process, and goes on when Redis can't take it."""

import gzip
import os
import re
import signal
import time
import urllib.request
from collections.abc import Iterator
from functools import partial

import pytest
import redis

from apps.metrics import counters
from tests.sites import Site, wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]

ROLES = ("web", "consumer", "worker", "mover")
#: What a request that waited for a frozen Redis takes at least.
DEADLINE_SECONDS = 0.5


@pytest.fixture(scope="module")
def measured_site(site: Site) -> Iterator[Site]:
    """The site that many tests share, with every process that measures itself; others find it as it was."""
    names = [name for name in ROLES if name not in site.processes]
    site.start(*names)
    yield site
    for name in names:
        site.kill(name)


@pytest.fixture
def measured(measured_site: Site) -> Site:
    """The same with web running, also after a test that killed it and failed."""
    if "web" not in measured_site.processes:
        measured_site.start("web")
    return measured_site


def open_page(site: Site, path: str, *, browser: bool = False) -> int:
    headers = {"Accept": "text/html", "User-Agent": "Mozilla/5.0 Chrome/130.0"} if browser else {}
    request = urllib.request.Request(f"{site.base_url}{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        answer.read()
        return int(answer.status)


def count_views(site: Site) -> int:
    """Page views of all pages on all days."""
    with redis.Redis.from_url(site.redis_url, decode_responses=True) as connected:
        days = connected.scan_iter("*uv:{site}:views:*", count=1_000)
        return sum(int(str(connected.hget(day, "all"))) for day in days)


def count_log_lines(site: Site) -> int:
    """Lines of the access log for the list of notes."""
    folder = site.directory / "logs"
    texts = [path.read_text() for path in folder.glob("*.jsonl")]
    texts += [gzip.decompress(path.read_bytes()).decode() for path in folder.glob("*.jsonl.gz")]
    return sum(text.count('"path":"/notes/"') for text in texts)


def scrape(site: Site) -> str:
    with urllib.request.urlopen(f"{site.base_url}/metrics", timeout=30) as answer:
        return str(answer.read().decode())


def count_requests(text: str, route: str) -> int:
    found = re.search(rf'savor_requests_total{{route="{route}",status="2xx"}} ([0-9.]+)', text)
    return int(float(found[1])) if found else 0


def reports(site: Site, role: str) -> bool:
    return f'savor_processes{{role="{role}"}} 1.0' in scrape(site)


def test_every_process_reports_and_a_normal_end_loses_nothing(measured: Site) -> None:
    for role in ROLES:
        wait_until(
            partial(reports, measured, role),
            seconds=60,
            otherwise=f"{role} does not report: {measured.log(role)}",
        )
    before = count_requests(scrape(measured), "monitoring:alive")
    for _ in range(200):
        assert open_page(measured, "/healthz") == 200
    measured.kill("web", signal.SIGTERM)
    measured.start("web")
    # Starting asks for the same page until it is there.
    assert count_requests(scrape(measured), "monitoring:alive") >= before + 200


def test_a_normal_end_keeps_the_last_seconds_page_views_and_log_lines(measured: Site) -> None:
    views, lines = count_views(measured), count_log_lines(measured)
    for _ in range(20):
        assert open_page(measured, "/notes/", browser=True) == 200
    measured.kill("web", signal.SIGTERM)
    assert (count_views(measured) - views, count_log_lines(measured) - lines) == (20, 20)
    measured.start("web")


def test_killed_hard_it_loses_no_more_than_a_second(measured: Site) -> None:
    assert open_page(measured, "/login/") == 200
    with redis.Redis.from_url(measured.redis_url, decode_responses=True) as connected:
        wait_until(
            lambda: count_requests(scrape(measured), "accounts:login"),
            seconds=30,
            otherwise="nothing was sent",
        )
        measured.kill("web")
        assert "hits" in counters.names(connected)
    measured.start("web")
    assert count_requests(scrape(measured), "accounts:login") >= 1


def test_with_a_frozen_redis_pages_that_need_none_are_quick(measured: Site) -> None:
    os.kill(measured.redis.pid, signal.SIGSTOP)
    try:
        times = []
        for _ in range(40):
            began = time.perf_counter()
            assert open_page(measured, "/healthz") == 200
            times.append(time.perf_counter() - began)
            time.sleep(0.1)
    finally:
        os.kill(measured.redis.pid, signal.SIGCONT)
    assert sorted(times)[len(times) // 2] < DEADLINE_SECONDS
    wait_until(
        lambda: 'savor_events_total{event="metrics.lost"}' in scrape(measured),
        seconds=30,
        otherwise="what was lost is not counted",
    )


def test_with_a_full_redis_the_site_goes_on(measured: Site) -> None:
    with redis.Redis.from_url(measured.redis_url) as connected:
        connected.config_set("maxmemory", 1)
        try:
            time.sleep(2.5)
            assert open_page(measured, "/healthz") == 200
            assert open_page(measured, "/login/") == 200
            assert "savor_redis_up 1.0" in scrape(measured)
        finally:
            connected.config_set("maxmemory", 0)
