"""Lost, late and torn answers between web and Redis, and a Redis that is slow."""

from collections.abc import Iterator

import pytest
import requests

from apps.demo import embedded_address
from tests.crowd import site_setup
from tests.faults.fault_site import FaultSite
from tests.faults.wire import faulty_proxy
from tests.faults.wire.faulty_proxy import Fault, Proxy
from tests.sites import Site, wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]

PHONE, PASSWORD = "13900000099", "a slow server"
CREATE_BOSS = f"""
from apps.accounts.models import User
User.objects.create_superuser(phone="{PHONE}", password="{PASSWORD}")
"""
#: Made of SQL, or of what the process has; Redis only adds to them.
PLAIN = ("/", "/healthz", "/login/", "/shops/", "/notes/", "/patterns/", "/patterns/counters/")
#: Pages of managers about what is in Redis.
ADMIN = (
    *("activity", "slowest", "log", "redis", "access-log", "maintenance", "settings", "persistence"),
    *("visitors", "lens"),
)


@pytest.fixture(scope="module")
def wired(running: FaultSite) -> Iterator[tuple[Proxy, str]]:
    """A second web process whose Redis is behind the proxy: yields the proxy and that site's address."""
    socket = embedded_address.socket_path(running.site.directory / "redis")
    with faulty_proxy.run_proxy(socket) as wire:
        second = Site(running.site.directory / "second")
        second.directory.mkdir()
        addresses = {"PORT": str(second.port), "REDIS_URL": wire.url, "WEB_THREADS": "8"}
        second.environment = running.site.environment | addresses
        second.start("web")
        yield wire, second.base_url
        second.stop()


@pytest.mark.parametrize("every", [3, 10])
@pytest.mark.parametrize("fault", [Fault.DROP, Fault.STALL, Fault.HALF])
def test_a_bad_wire_sells_one_unit_a_person(
    running_site: FaultSite, wired: tuple[Proxy, str], fault: Fault, every: int
) -> None:
    wire, address = wired
    sale = site_setup.create_sale(running_site.clerk, stock=30)
    # A few at a time: Redis answers a batch of requests once.
    crowd = running_site.crowd(sale, 200, connections=3, base_url=address)
    wire.suffer(fault, every=every)
    with running_site.rush(crowd) as rush:
        wait_until(lambda: wire.hurt > 3 or rush.future.done(), seconds=60, otherwise="nothing is hurt")
        assert wire.hurt > 3
        wire.suffer(Fault.PASS, every=1)
        tally = rush.result()
    assert not any(code.startswith("500") for code in tally.codes), tally.codes
    running_site.kept(sale, stock=30, tally=tally)


@pytest.fixture
def slowed(running: FaultSite) -> Iterator[tuple[Proxy, Site]]:
    """A second web process whose Redis is behind the proxy."""
    socket = embedded_address.socket_path(running.site.directory / "redis")
    with faulty_proxy.run_proxy(socket) as wire:
        second = Site(running.site.directory / "slowed")
        second.directory.mkdir()
        second.environment = running.site.environment | {"PORT": str(second.port), "REDIS_URL": wire.url}
        second.start("web")
        yield wire, second
        second.stop()


def test_a_slow_redis_makes_no_page_an_error(running: FaultSite, slowed: tuple[Proxy, Site]) -> None:
    wire, site = slowed
    running.clerk.run_code(CREATE_BOSS)
    with requests.Session() as browser:

        def ask(path: str) -> int:
            return browser.get(f"{site.base_url}{path}", timeout=30).status_code

        ask("/admin/login/")
        token = browser.cookies["csrftoken"]
        fields = {"username": PHONE, "password": PASSWORD, "next": "/admin/", "csrfmiddlewaretoken": token}
        entered = browser.post(f"{site.base_url}/admin/login/", data=fields, timeout=30)
        assert entered.url == f"{site.base_url}/admin/"
        wire.suffer(Fault.SLOW, every=1)
        plain = {path: requests.get(f"{site.base_url}{path}", timeout=30).status_code for path in PLAIN}
        managed = {name: ask(f"/admin/{name}/") for name in ADMIN}
        searched = ask("/search/?q=tea")
        wire.suffer(Fault.PASS, every=1)
        assert ask("/admin/activity/") == 200
    assert plain == dict.fromkeys(PLAIN, 200)
    assert set(managed.values()) <= {200, 503}, managed
    # The index is in Redis; the page says that it is busy.
    assert searched in {200, 503}
