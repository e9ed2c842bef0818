"""Redis is emptied, restarted or frozen."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.crowd import site_setup
from tests.crowd.buyers import ReceiptKeepers
from tests.faults.fault_site import FaultSite
from tests.faults.sale_requests import TimedReply, send_as_person
from tests.sites import wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]


def test_an_emptied_redis_sells_nothing_twice_and_opens_by_itself(running_site: FaultSite) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=200)
    with running_site.rush(running_site.crowd(sale, 600, connections=8)) as rush:
        rush.wait_for(60)
        with running_site.books.redis() as connected:
            connected.flushall()
        # The claims themselves have the sale loaded again.
        running_site.end_hold(sale)
        rush.result()
    running_site.drain(sale)
    running_site.clerk.manage("rebuild_redis")
    assert site_setup.reconcile(running_site.clerk)["clean"]
    assert running_site.books.rows(sale) <= 200
    assert _still_logged_in(running_site, 20)


def test_whoever_keeps_the_receipt_keeps_the_order(running_site: FaultSite) -> None:
    """Everything answered 201 before Redis was emptied is a row in the end, and nothing is oversold."""
    sale = site_setup.create_sale(running_site.clerk, stock=300)
    crowd = running_site.crowd(sale, 600, connections=16)
    buyers = ReceiptKeepers(crowd)
    with running_site.rush(crowd, buyers) as rush:
        rush.wait_for(100)
        with running_site.books.redis() as connected:
            connected.flushall()
        running_site.end_hold_after_receipts(sale, rush)
        tally = rush.result()
    assert buyers.refused == [], running_site.books.select("SELECT DISTINCT reason FROM coupons_deadletter")
    running_site.clerk.manage("rebuild_redis")
    running_site.kept(sale, stock=300, tally=tally)
    print(f"{len(tally.promised)} promised, {buyers.handed_in} handed in")


def test_a_closed_gate_says_when_to_come_back(running_site: FaultSite) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=5)
    with running_site.books.redis() as connected:
        connected.flushall()
    said = send_as_person(running_site, sale, 0)
    assert (said.status, said.code, said.retry_after) == (503, "not_ready", 1)
    running_site.end_hold(sale)
    wait_until(
        lambda: send_as_person(running_site, sale, 0).status == 201,
        seconds=60,
        otherwise="the gate stays closed",
    )
    running_site.drain(sale)
    running_site.clerk.manage("rebuild_redis")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_restarted_redis_has_lost_nothing(running_site: FaultSite, how: signal.Signals) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=100)
    with running_site.rush(running_site.crowd(sale, 400, connections=8)) as rush:
        rush.wait_for(50)
        running_site.restart_redis(how)
        running_site.end_hold(sale)
        tally = rush.result()
    running_site.kept(sale, stock=100, tally=tally)


def test_a_frozen_redis_is_answered_for_within_its_deadline(running_site: FaultSite) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=50)
    crowd = running_site.crowd(sale, 100, connections=4)
    answers: list[TimedReply] = []
    with _frozen(running_site):
        # Some may be late by a stall of the machine.
        while _quick(answers) < 3 and len(answers) < 12:
            answers.append(send_as_person(running_site, sale, 0, key="frozen"))
    assert {(said.status, said.code) for said in answers} == {(503, "busy")}
    assert all(said.retry_after for said in answers)
    assert _quick(answers) == 3, [said.seconds for said in answers]
    wait_until(
        lambda: send_as_person(running_site, sale, 0, key="frozen").status == 201,
        seconds=60,
        otherwise="it stays shut",
    )
    tally = running_site.sell(crowd)
    running_site.kept(sale, stock=50, tally=tally)


def test_a_redis_that_freezes_under_load_accepts_nothing_twice(running_site: FaultSite) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=100)
    with running_site.rush(running_site.crowd(sale, 400, connections=16)) as rush:
        rush.wait_for(40)
        with _frozen(running_site):
            time.sleep(3)
        tally = rush.result()
    running_site.kept(sale, stock=100, tally=tally)


def _quick(answers: list[TimedReply]) -> int:
    """Count the answers that came within about a second."""
    return sum(said.seconds < 1.3 for said in answers)


@contextmanager
def _frozen(running_site: FaultSite) -> Iterator[None]:
    """Stop Redis by a signal for the block, like a long pause of its machine."""
    os.kill(running_site.site.redis.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(running_site.site.redis.pid, signal.SIGCONT)


def _still_logged_in(running_site: FaultSite, people: int) -> bool:
    return all(
        send_as_person(running_site, 0, number, path="/api/me", method="GET").status == 200
        for number in range(people)
    )
