"""kill -9 between each pair of a consumer's steps, twice at the same step."""

import signal

import pytest

from tests.crowd import site_setup
from tests.faults.fault_site import FaultSite, final_codes
from tests.sites import wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]


@pytest.mark.parametrize("step", ["read", "handled", "settled"])
def test_a_consumer_dies_twice_at_the_same_step(running_site: FaultSite, step: str) -> None:
    running_site.site.kill("consumer")
    sale = site_setup.create_sale(running_site.clerk, stock=60)
    for death in range(1, 3):
        running_site.sell(running_site.crowd(sale, 20 * death))
        _die_at(running_site, step)
    running_site.site.start("consumer")
    tally = running_site.sell(running_site.crowd(sale, 100))
    assert final_codes(tally) == {"409 already_bought": 40, "201": 20, "409 sold_out": 40}
    running_site.kept(sale, stock=60, tally=tally)


def test_web_dies_between_the_decision_and_the_answer(running_site: FaultSite) -> None:
    """The claim is accepted but its answer lost; the retry gets the same order."""
    sale = site_setup.create_sale(running_site.clerk, stock=30)
    running_site.site.kill("web")
    running_site.site.environment["CRASH_AT"] = "decided:5"
    running_site.site.start("web")
    del running_site.site.environment["CRASH_AT"]
    with running_site.rush(running_site.crowd(sale, 40, connections=2)) as rush:
        wait_until(lambda: rush.load.tally.lost > 0, seconds=60, otherwise="it does not die")
        running_site.site.kill("web")
        running_site.site.start("web")
        tally = rush.result()
    running_site.kept(sale, stock=30, tally=tally)


def _die_at(running_site: FaultSite, step: str) -> None:
    running_site.site.environment["CRASH_AT"] = step
    running_site.site.start("consumer")
    del running_site.site.environment["CRASH_AT"]
    dying = running_site.site.processes["consumer"]
    wait_until(lambda: dying.poll() is not None, seconds=60, otherwise=f"it does not die at {step}")
    assert running_site.site.processes.pop("consumer").returncode == -signal.SIGKILL
