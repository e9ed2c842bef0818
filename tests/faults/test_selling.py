"""Sales on a whole site: buyers get every unit exactly once, also while processes die."""

import os
import random
import signal

import pytest

from tests.crowd import site_setup
from tests.faults.fault_site import FaultSite, child_pids, expected_answers, final_codes
from tests.sites import wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]


def test_a_thousand_people_want_a_hundred_units(running_site: FaultSite) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=100)
    tally = running_site.sell(running_site.crowd(sale, 1_000, connections=64))
    assert final_codes(tally) == expected_answers(running_site.tokens, stock=100)
    running_site.kept(sale, stock=100, tally=tally)


def test_the_consumer_is_killed_five_times_on_the_way(running_site: FaultSite) -> None:
    running_site.site.kill("consumer")
    running_site.site.environment["CONSUMERS"] = "2"
    running_site.site.start("consumer")
    del running_site.site.environment["CONSUMERS"]
    pool = running_site.site.processes["consumer"]
    wait_until(lambda: len(child_pids(pool)) == 2, seconds=60, otherwise="the pool does not start")
    sale = site_setup.create_sale(running_site.clerk, stock=100)
    with running_site.rush(running_site.crowd(sale, 1_000, connections=8)) as rush:
        for kill in range(5):
            rush.wait_for(20 * kill + 10)
            wait_until(lambda: bool(child_pids(pool)), seconds=60, otherwise="nobody is started again")
            os.kill(random.choice(child_pids(pool)), signal.SIGKILL)
        tally = rush.result()
    assert final_codes(tally) == expected_answers(running_site.tokens, stock=100)
    running_site.kept(sale, stock=100, tally=tally)


def test_every_process_is_killed_at_once(running_site: FaultSite) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=100)
    with running_site.rush(running_site.crowd(sale, 400, connections=16)) as rush:
        rush.wait_for(50)
        for name in ("web", "consumer"):
            running_site.site.kill(name)
        running_site.restart_redis(signal.SIGKILL)
        running_site.heal()
        running_site.end_hold(sale)
        tally = rush.result()
    running_site.kept(sale, stock=100, tally=tally)


def test_web_is_killed_and_the_same_request_gets_the_same_order(running_site: FaultSite) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=100)
    crowd = running_site.crowd(sale, 1_000, connections=16)
    with running_site.rush(crowd) as rush:
        rush.wait_for(40)
        running_site.site.kill("web")
        running_site.site.start("web")
        tally = rush.result()
    assert tally.lost
    assert running_site.sell(crowd).promised == tally.promised
    running_site.kept(sale, stock=100, tally=tally)
