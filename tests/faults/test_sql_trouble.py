"""PostgreSQL stands still, says nothing or refuses: 503 within the deadlines, and others' answers go on."""

import itertools
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.faults import sql_trouble
from tests.faults.sql_trouble import SqlServer, Trouble
from tests.sites import Site, wait_until

pytestmark = [pytest.mark.fault, pytest.mark.postgres, pytest.mark.timeout(300)]

#: More than a web process has threads for pages.
CROWD = 12
_phones = itertools.count(13_800_200_000)


class Answer:
    """The answer of a site to one request."""

    def __init__(
        self, site: Site, path: str, *, cookie: str = "", body: dict[str, str] | None = None
    ) -> None:
        headers = {"Cookie": cookie} if cookie else {}
        sent = json.dumps(body).encode() if body else None
        if sent:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(site.base_url + path, data=sent, headers=headers)
        try:
            answer = urllib.request.urlopen(request, timeout=120)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            self.status, self.headers, self.body = answer.status, answer.headers, answer.read().decode()

    @property
    def is_refusal(self) -> bool:
        """Whether it says that the site is busy, and when to come again."""
        return self.status == 503 and int(self.headers.get("Retry-After", "0")) > 0


@pytest.fixture(scope="module")
def server() -> Iterator[SqlServer]:
    with sql_trouble.run_server() as running:
        yield running


@pytest.fixture(scope="module")
def shop_site(server: SqlServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site whose PostgreSQL is behind the proxy, with short deadlines."""
    site = Site(
        tmp_path_factory.mktemp("trouble"),
        DATABASE_URL=server.wired_url,
        SQL_CONNECT_SECONDS="2",
        SQL_STATEMENT_SECONDS="2",
        SQL_LOCK_SECONDS="1",
    )
    with site:
        site.start("web")
        yield site


def is_well(site: Site) -> bool:
    return all(Answer(site, path).status == 200 for path in ("/api/shops", "/search/?q=tea"))


TROUBLE: dict[str, Trouble] = {
    "locked": sql_trouble.locked_table,
    "frozen": sql_trouble.frozen,
    "dropped": sql_trouble.dropped_packets,
    "taken": sql_trouble.taken_connections,
}


@pytest.mark.parametrize("trouble", TROUBLE.values(), ids=TROUBLE)
def test_everybody_is_answered_and_others_go_on(server: SqlServer, shop_site: Site, trouble: Trouble) -> None:
    wait_until(lambda: is_well(shop_site), seconds=60, otherwise="the site is not well before")
    for path in ("/terms/", "/api/me/page"):
        assert Answer(shop_site, path).status == 200
    with trouble(server), ThreadPoolExecutor(CROWD) as crowd:
        # The trouble lasts until all have their answers: these end by deadlines alone.
        asked = [crowd.submit(Answer, shop_site, "/api/shops") for _ in range(CROWD - 1)]
        page = crowd.submit(Answer, shop_site, "/search/?q=tea")
        others = [Answer(shop_site, path).status for path in ("/terms/", "/api/me/page") for _ in range(10)]
        refused = [each.result() for each in asked]
        assert page.result().is_refusal
        assert "<h1" in page.result().body
    assert others == [200] * 20
    assert all(each.is_refusal for each in refused)
    assert {each.headers["Content-Type"] for each in refused} == {"application/problem+json"}
    assert {json.loads(each.body)["code"] for each in refused} == {"busy"}
    wait_until(lambda: is_well(shop_site), seconds=60, otherwise="the site doesn't recover")


def test_one_locked_table_leaves_threads_to_other_pages(server: SqlServer, shop_site: Site) -> None:
    """The log-in of the admin is a page of Django's threads too, which needs no table."""
    login = "/admin/login/"
    assert Answer(shop_site, login).status == 200
    with sql_trouble.locked_table(server), ThreadPoolExecutor(CROWD) as crowd:
        # By now the site knows which kind of page is slow.
        assert Answer(shop_site, "/api/shops").is_refusal
        asked = [crowd.submit(Answer, shop_site, "/api/shops") for _ in range(CROWD)]
        assert Answer(shop_site, login).status == 200
        waiting = [each for each in asked if not each.done()]
        assert all(each.result().is_refusal for each in asked)
    assert waiting, "the page came only after all who waited for the table"


def test_a_read_only_server_refuses_writes_and_shows_pages(server: SqlServer, shop_site: Site) -> None:
    def send_code() -> Answer:
        return Answer(shop_site, "/api/auth/code", body={"phone": f"+86{next(_phones)}"})

    assert send_code().status < 300
    with sql_trouble.read_only(server):
        wait_until(lambda: send_code().is_refusal, seconds=60, otherwise="writes are not refused")
        assert is_well(shop_site)
    wait_until(lambda: send_code().status < 300, seconds=60, otherwise="writes are refused after it")


def test_a_session_that_can_not_be_read_is_busy_and_no_failure(server: SqlServer, shop_site: Site) -> None:
    """The admin reads sessions in a middleware, outside of views."""
    with server.connect() as connected, connected.transaction():
        connected.execute("LOCK TABLE django_session IN ACCESS EXCLUSIVE MODE")
        assert Answer(shop_site, "/admin/", cookie=f"sessionid={'a' * 32}").is_refusal
