"""Threads that click, double-click, click late and forge spend no micro more than there is."""

import random

import pytest

from apps.ads import keys, serving
from apps.ads.models import Campaign, Charge
from apps.ads.money import campaign_state, charging
from apps.ads.serving import Outcome
from apps.ads.viewer import Viewer
from apps.redis_kit import client
from tests.ads import makers
from tests.races import Race

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
COST = 250_000


def test_fifty_clickers_spend_at_most_the_budget(race: Race) -> None:
    campaign = makers.campaign(budget_micros=17 * COST + 1)
    makers.ad(campaign)
    tickets = []
    for number in range(30):
        viewer = Viewer(f"viewer-{number}")
        served = makers.serve(viewer=viewer)
        makers.see(served, viewer)
        tickets.append((served.ticket, viewer))

    def click(number: int) -> int:
        """Each thread clicks ten tickets that others click too, and forges as many."""
        draw, charged = random.Random(number), 0
        for ticket, viewer in draw.choices(tickets, k=10):
            charged += serving.record_click(ticket, viewer).charged_micros
            forged = serving.record_click(ticket[:-2] + "xx", viewer)
            assert forged.outcome is Outcome.UNKNOWN
        return charged

    charged = [one for one in race(50, click) if isinstance(one, int)]
    assert len(charged) == 50
    assert sum(charged) == 17 * COST
    assert makers.left(campaign) == 1
    assert client.get().xlen(keys.CHARGES()) == 17
    charging.drain()
    assert Campaign.objects.get().charged_micros == 17 * COST
    assert Charge.objects.count() == 17


def test_one_ticket_is_charged_once_however_many_click(race: Race) -> None:
    campaign = makers.campaign()
    makers.ad(campaign)
    served = makers.serve()
    makers.see(served)
    outcomes = race(50, lambda _: serving.record_click(served.ticket, makers.VIEWER).outcome)
    assert sorted(map(str, outcomes)) == sorted(map(str, [Outcome.CHARGED] + [Outcome.REPEATED] * 49))


def test_a_daily_cap_holds_against_all_at_once(race: Race) -> None:
    campaign = makers.campaign(pricing="cpm", daily_cap_micros=1_000)
    makers.ad(campaign)
    served = [makers.serve(viewer=Viewer(f"v{number}")) for number in range(20)]
    race(20, lambda number: serving.record_view(served[number].ticket, Viewer(f"v{number}")))
    assert client.get().xlen(keys.CHARGES()) == 4


def test_a_budget_that_moves_while_clicks_come_stays_in_step(race: Race) -> None:
    campaign = makers.campaign(budget_micros=40 * COST)
    makers.ad(campaign)
    served = [makers.serve(viewer=Viewer(f"v{number}")) for number in range(20)]
    for number, one in enumerate(served):
        makers.see(one, Viewer(f"v{number}"))

    def act(number: int) -> object:
        if number < 20:
            return serving.record_click(served[number].ticket, Viewer(f"v{number}"))
        row = Campaign.objects.select_related("advertiser").get()
        row.budget_micros, row.revision = (30 + number) * COST, number
        return campaign_state.put(row)

    race(30, act)
    budget = int(str(client.get().hget(keys.BUDGETS(), str(campaign.pk))))
    assert budget - makers.left(campaign) == 20 * COST
