"""A short campaign on a whole site: twelve random faults break no promise, and a missing row is seen."""

from collections.abc import Iterator
from random import Random

import pytest

from lab.campaign import oracle, rounds, schedule
from lab.campaign.campaign_site import CampaignSite, run_site
from lab.campaign.oracle import Accounts
from lab.campaign.schedule import Fault, Round
from tests.books import Books

pytestmark = [pytest.mark.fault, pytest.mark.timeout(600)]

#: Its faults are of ten kinds, an emptied and a killed Redis among them.
SEED, FAULTS, PEOPLE = 290, 12, 2_000


@pytest.fixture(scope="module")
def whole_site() -> Iterator[CampaignSite]:
    with run_site(PEOPLE) as running:
        yield running


def test_twelve_faults_break_no_promise(whole_site: CampaignSite) -> None:
    for number, each in enumerate(schedule.draw(FAULTS, SEED, burst=0).rounds):
        result = rounds.run_round(whole_site, each, Random(f"{SEED}-{number}"))
        assert result.broken == []
        assert result.counts["accepted"] > 0
        assert result.counts["paid"] > 0


@pytest.mark.long
def test_a_site_that_forgets_an_order_is_found_out(
    whole_site: CampaignSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgetful(books: Books, voucher_id: int) -> Accounts:
        found = read(books, voucher_id)
        del found.rows[0]
        return found

    read = oracle.read_accounts
    monkeypatch.setattr(oracle, "read_accounts", forgetful)
    monkeypatch.setattr(rounds, "SETTLED_SECONDS", 1.0)
    quiet = Round(100, 30, 0, 0, 3_600, (Fault("forget scripts", 1, 0, 0),))
    result = rounds.run_round(whole_site, quiet, Random(1))
    # Whether the units add up without it depends on whether its buyer had cancelled.
    assert result.counts["lost"] == 1
