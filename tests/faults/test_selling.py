"""Sales on a whole site: buyers get every unit exactly once, also while processes die."""

import os
import random
import signal

import pytest

from tests.crowd import site_setup
from tests.faults.fault_site import FaultSite, child_pids, expected_answers, final_codes
from tests.sites import wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]


def test_a_thousand_people_want_a_hundred_units(ground: FaultSite) -> None:
    sale = site_setup.create_sale(ground.clerk, stock=100)
    tally = ground.sell(ground.crowd(sale, 1_000, connections=64))
    assert final_codes(tally) == expected_answers(ground.tokens, stock=100)
    ground.kept(sale, stock=100, tally=tally)


def test_the_consumer_is_killed_five_times_on_the_way(ground: FaultSite) -> None:
    ground.site.kill("consumer")
    ground.site.environment["CONSUMERS"] = "2"
    ground.site.start("consumer")
    del ground.site.environment["CONSUMERS"]
    pool = ground.site.processes["consumer"]
    wait_until(lambda: len(child_pids(pool)) == 2, seconds=60, otherwise="the pool does not start")
    sale = site_setup.create_sale(ground.clerk, stock=100)
    with ground.rush(ground.crowd(sale, 1_000, connections=8)) as rush:
        for kill in range(5):
            rush.wait_for(20 * kill + 10)
            wait_until(lambda: bool(child_pids(pool)), seconds=60, otherwise="nobody is started again")
            os.kill(random.choice(child_pids(pool)), signal.SIGKILL)
        tally = rush.result()
    assert final_codes(tally) == expected_answers(ground.tokens, stock=100)
    ground.kept(sale, stock=100, tally=tally)


def test_every_process_is_killed_at_once(ground: FaultSite) -> None:
    sale = site_setup.create_sale(ground.clerk, stock=100)
    with ground.rush(ground.crowd(sale, 400, connections=16)) as rush:
        rush.wait_for(50)
        for name in ("web", "consumer"):
            ground.site.kill(name)
        ground.restart_redis(signal.SIGKILL)
        ground.heal()
        ground.end_hold(sale)
        tally = rush.result()
    ground.kept(sale, stock=100, tally=tally)


def test_web_is_killed_and_the_same_request_gets_the_same_order(ground: FaultSite) -> None:
    sale = site_setup.create_sale(ground.clerk, stock=100)
    crowd = ground.crowd(sale, 1_000, connections=16)
    with ground.rush(crowd) as rush:
        rush.wait_for(40)
        ground.site.kill("web")
        ground.site.start("web")
        tally = rush.result()
    assert tally.lost
    assert ground.sell(crowd).promised == tally.promised
    ground.kept(sale, stock=100, tally=tally)
