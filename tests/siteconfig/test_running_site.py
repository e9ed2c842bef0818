"""A site of two web processes: closed while people claim, moved to another server while they read."""

import json
import tempfile
import threading
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
import redis

from apps.demo import embedded_redis
from tests.books import Books
from tests.crowd import site_setup
from tests.faults.management_process import ManagementProcess
from tests.sites import Site, wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]
PEOPLE, CROWD = 400, 4
MOVE = """
from apps.siteconfig.components import changes
from apps.siteconfig.connections import CONNECTIONS
number = changes.newest_number(CONNECTIONS)
changes.change(CONNECTIONS, {overrides!r}, changed_by="test", based_on=number)
"""
#: Visits of programs are not counted.
BROWSER = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"}
Answer = tuple[int, str]


@pytest.fixture(scope="module")
def two_processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site(tmp_path_factory.mktemp("site"), WEB_WORKERS="2") as site:
        site.start("web", "consumer")
        yield site


@pytest.fixture(scope="module")
def clerk(two_processes: Site) -> Iterator[ManagementProcess]:
    with ManagementProcess(two_processes.environment) as started:
        yield started


def ask(url: str, token: str = "") -> Answer:
    """Status and body of a request, which is a claim if there is a token."""
    headers = BROWSER | ({"Authorization": f"Bearer {token}"} if token else {})
    request = urllib.request.Request(url, method="POST" if token else "GET", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


@contextmanager
def crowd(act: Callable[[int], Answer]) -> Iterator[list[Answer]]:
    """Threads that call act(0), act(1), … as long as the block runs; the answers so far."""
    answers, numbers, is_over = list[Answer](), count(), threading.Event()

    def go_on() -> None:
        while not is_over.is_set():
            answers.append(act(next(numbers)))

    threads = [threading.Thread(target=go_on) for _ in range(CROWD)]
    for thread in threads:
        thread.start()
    yield answers
    is_over.set()
    for thread in threads:
        thread.join()


def statuses(answers: list[Answer]) -> Counter[int]:
    return Counter(status for status, _ in answers)


def test_a_closed_site_decides_what_has_arrived_and_refuses_the_rest(
    two_processes: Site, clerk: ManagementProcess
) -> None:
    site = two_processes
    tokens = site_setup.create_people(clerk, PEOPLE)
    voucher_id = site_setup.create_sale(clerk, stock=PEOPLE)
    claim = f"{site.base_url}/api/vouchers/{voucher_id}/seckill"
    with crowd(lambda number: ask(claim, tokens[number % PEOPLE])) as answers:
        wait_until(lambda: len(answers) > 50, seconds=60)
        clerk.manage("maintenance", "on", "--minutes", "5")
        # Another second for both processes, and answers of both afterwards.
        wait_until(lambda: statuses(answers[-200:]) == {503: 200}, seconds=60)
        assert ask(f"{site.base_url}/healthz")[0] == 200
        assert ask(f"{site.base_url}/readyz")[0] == 200
        assert ask(f"{site.base_url}/")[0] == 503
        clerk.manage("maintenance", "off")
        wait_until(lambda: 503 not in statuses(answers[-200:]), seconds=60)
    others = [answer for answer in answers if answer[0] not in {201, 409, 429, 503}]
    assert not others, others[:3]
    refused = [json.loads(body)["code"] for status, body in answers if status == 503]
    assert set(refused) == {"maintenance"}
    accepted = {json.loads(body)["order_id"] for status, body in answers if status == 201}
    books = Books(database_url=site.environment["DATABASE_URL"], redis_url=site.redis_url)
    wait_until(lambda: len(books.orders(voucher_id)) == len(accepted), seconds=60)
    assert {str(order_id) for order_id in books.orders(voucher_id)} == accepted


@pytest.mark.parametrize("moves", [2, pytest.param(6, marks=pytest.mark.long)])
def test_no_page_fails_while_statistics_and_caches_move(
    two_processes: Site, clerk: ManagementProcess, moves: int
) -> None:
    site = two_processes
    pages = [f"{site.base_url}{path}" for path in ("/", "/shops/", "/api/shop-types", "/notes/hot/")]
    found = [page for page in pages if ask(page)[0] == 200]
    assert len(found) >= 2
    with tempfile.TemporaryDirectory(prefix="savor-") as directory:
        other = embedded_redis.start(Path(directory))
        try:
            with (
                redis.Redis.from_url(other.url) as connected,
                crowd(lambda number: ask(found[number % len(found)])) as answers,
            ):
                for number in range(moves):
                    overrides = {} if number % 2 else {"stats": other.url, "cache": other.url}
                    before = len(answers)
                    clerk.run_code(MOVE.format(overrides=overrides))
                    wait_until(lambda: len(answers) > before + 100, seconds=60)  # noqa: B023 - runs at once
                    # A process looks for a new place once a second, and 100 answers may come before it has.
                    wait_until(lambda: connected.dbsize() > 0, seconds=60)
            assert set(statuses(answers)) == {200}
        finally:
            other.stop()
