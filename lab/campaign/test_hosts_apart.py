"""Hosts whose clocks differ: one web process a minute ahead, one a minute behind, all others between them."""

import asyncio
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from lab.campaign.step_clock import StepClock
from tests.crowd import site_setup
from tests.crowd.buyers import Crowd, Load
from tests.crowd.tally import Tally
from tests.faults.fault_site import FaultSite, run_fault_site
from tests.sites import Site, free_port, wait_until

pytestmark = [
    pytest.mark.fault,
    pytest.mark.timeout(300),
    pytest.mark.program("cc", "apt-get install gcc libc6-dev"),
]

#: Seconds that each host's clock is off.
OFF_BY = {"web": 60.0, "web-2": -60.0, "consumer": -60.0, "worker": 60.0}
STOCK, PEOPLE = 200, 300


@dataclass
class Hosts:
    """A site with two web processes at addresses of their own."""

    running_site: FaultSite
    urls: tuple[str, str]

    def sell(self, voucher_id: int) -> Tally:
        """Let half of the people claim at each host; return all their answers."""
        tally = Tally()
        loads = [Load(self._half(voucher_id, number), tally) for number in (0, 1)]

        async def run() -> None:
            await asyncio.gather(*(load.run() for load in loads))

        asyncio.run(run())
        return tally

    def _half(self, voucher_id: int, number: int) -> Crowd:
        half, first = PEOPLE // 2, number * PEOPLE // 2
        crowd = self.running_site.crowd(voucher_id, 0, connections=8, base_url=self.urls[number])
        tokens = self.running_site.tokens[first : first + half]
        return Crowd(crowd.base_url, voucher_id, tokens, first, crowd.prefix, 8, kinds=crowd.kinds)


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    place = tmp_path_factory.mktemp("hosts")
    site = Site(place / "site", SALE_HOLD_SECONDS="5", SALE_LONG_HOLD_SECONDS="60")
    with run_fault_site(site) as running_site:
        right, urls = dict(site.environment), []
        for name, seconds in OFF_BY.items():
            clock = StepClock(place, name)
            clock.set(seconds)
            site.environment = right | clock.environment | {"PORT": str(free_port())}
            site.base_url = f"http://127.0.0.1:{site.environment['PORT']}"
            site.start(name)
            if name.startswith("web"):
                wait_until(site.answers, seconds=120, otherwise=f"{name} is silent: {site.log(name)}")
                urls.append(site.base_url)
        site.environment = right
        yield Hosts(running_site, (urls[0], urls[1]))


def test_a_sale_has_one_window(hosts: Hosts) -> None:
    """Redis decides by its own clock: a host that is ahead opens none, one that is behind ends none late."""
    coming = site_setup.create_sales(hosts.running_site.clerk, 1, stock=1, begins_in=45).voucher_ids[0]
    assert [_claim(url, coming, hosts) for url in hosts.urls] == ["not_started", "not_started"]
    ending = site_setup.create_sales(hosts.running_site.clerk, 1, stock=1, lasts=2)
    wait_until(lambda: time.time() > ending.begins_at + 2, seconds=30)
    assert [_claim(url, ending.voucher_ids[0], hosts) for url in hosts.urls] == ["ended", "ended"]


def test_what_both_sell_is_recorded_in_the_window(hosts: Hosts) -> None:
    voucher_id = site_setup.create_sale(hosts.running_site.clerk, stock=STOCK)
    tally = hosts.sell(voucher_id)
    hosts.running_site.kept(voucher_id, stock=STOCK, tally=tally)


def test_what_both_accepted_comes_back_to_an_emptied_redis(hosts: Hosts) -> None:
    """Each host's process puts back its own, and the sale is held for both of them."""
    voucher_id = site_setup.create_sale(hosts.running_site.clerk, stock=STOCK)
    hosts.running_site.site.kill("consumer")
    tally = hosts.sell(voucher_id)
    assert len(tally.promised) == STOCK
    with hosts.running_site.books.redis() as connected:
        connected.flushall()
    hosts.running_site.site.start("consumer")
    wait_until(
        lambda: hosts.running_site.books.rows(voucher_id) == STOCK,
        seconds=60,
        otherwise="accepted orders don't come back",
    )
    hosts.running_site.kept(voucher_id, stock=STOCK, tally=tally)


def test_a_code_of_one_host_logs_in_at_the_other(hosts: Hosts) -> None:
    """And the log-in is good at both."""
    for asked, answered in ((0, 1), (1, 0)):
        phone = f"+861380001{asked:04d}"
        code = _call(hosts.urls[asked], "POST", "/api/auth/code", {"phone": phone})
        wanted = {"phone": phone, "code": code["debug_code"], "request": code["request"]}
        token = _call(hosts.urls[answered], "POST", "/api/auth/login", wanted)["token"]
        for url in hosts.urls:
            assert _call(url, "GET", "/api/me", token=token)["id"]


def _claim(url: str, voucher_id: int, hosts: Hosts) -> str:
    """The code of the refusal that the first person hears at a host."""
    try:
        _call(url, "POST", f"/api/vouchers/{voucher_id}/seckill", token=hosts.running_site.tokens[0])
    except urllib.error.HTTPError as refusal:
        with refusal:
            return str(json.load(refusal)["code"])
    return ""


def _call(url: str, method: str, path: str, body: Any = None, *, token: str = "") -> Any:
    """What a host answers in JSON; HTTPError for a refusal."""
    headers = {"Content-Type": "application/json"} if body else {}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(url + path, data=data, method=method, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)
