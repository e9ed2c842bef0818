"""An ad is served where it may run, and what its viewer does counts and costs once."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.ads import changes, keys, serving
from apps.ads.models import MICROS
from apps.ads.serving import Outcome
from apps.ads.viewer import Viewer
from apps.redis_kit import client
from tests.ads import makers
from tests.ads.makers import ANYWHERE, VIEWER

pytestmark = pytest.mark.django_db(transaction=True)
SHANGHAI = ["area:shanghai/hongkou", "city:shanghai", "everywhere"]


def choose(*words: str, locations: list[str] = ANYWHERE, viewer: Viewer = VIEWER) -> int | None:
    served = serving.choose("shop", words, locations, viewer)
    return served.ad_id if served else None


def test_without_ads_nothing_is_served() -> None:
    assert choose("tea") is None


def test_an_ad_is_served_in_its_place_alone() -> None:
    ad = makers.ad(locations=[("Shanghai", "")])
    assert choose(locations=SHANGHAI) == ad.pk
    assert choose(locations=["city:hangzhou", "everywhere"]) is None


@pytest.mark.both_databases
def test_an_ad_of_two_places_is_looked_at_once_and_says_where_it_matched() -> None:
    makers.ad(locations=[("Shanghai", ""), ("Shanghai", "Hongkou")])
    assert makers.serve(locations=SHANGHAI).location in SHANGHAI[:2]


def test_a_page_learns_which_words_matched() -> None:
    makers.ad(words=["Hot  Pot", "tea"])
    assert makers.serve("beer", "HOT POT").words == ("hot pot",)


@pytest.mark.parametrize(
    "columns",
    [
        {"is_on": False},
        {"begins_at": timezone.now() + timedelta(hours=1)},
        {"begins_at": timezone.now() - timedelta(hours=2), "ends_at": timezone.now() - timedelta(hours=1)},
        {"budget_micros": MICROS // 4 - 1},
        {"daily_cap_micros": MICROS // 4 - 1},
    ],
)
def test_a_campaign_without_time_or_money_is_not_served(columns: dict[str, object]) -> None:
    makers.ad(makers.campaign(**columns))
    assert choose() is None


@pytest.mark.both_databases
def test_a_campaign_that_is_stopped_and_goes_on() -> None:
    ad = makers.ad()
    changes.switch_campaign(ad.campaign_id, on=False)
    assert choose() is None
    changes.switch_campaign(ad.campaign_id, on=True)
    assert choose() == ad.pk
    changes.switch_ad(ad.pk, on=False)
    assert choose() is None


def test_a_viewer_sees_an_ad_so_often_a_day() -> None:
    makers.ad(makers.campaign(views_per_person=2))
    for _ in range(2):
        makers.see(makers.serve())
    assert choose() is None
    assert choose(viewer=Viewer("bobs-browser"))


def test_a_hidden_ad_stays_away_from_who_hid_it() -> None:
    makers.ad()
    served = makers.serve()
    assert not serving.hide(served.ticket, Viewer("bobs-browser"))
    assert not serving.hide("7-forged", VIEWER)
    assert serving.hide(served.ticket, VIEWER)
    assert choose() is None
    assert choose(viewer=Viewer("bobs-browser"))


def test_a_click_is_charged_once() -> None:
    ad = makers.ad()
    served = makers.serve()
    assert makers.see(served).outcome is Outcome.COUNTED
    clicked = serving.record_click(served.ticket, VIEWER)
    assert clicked[:2] == (Outcome.CHARGED, MICROS // 4)
    assert serving.record_click(served.ticket, VIEWER).outcome is Outcome.REPEATED
    assert serving.record_view(served.ticket, VIEWER).outcome is Outcome.REPEATED
    assert makers.left(ad.campaign) == 100 * MICROS - MICROS // 4


@pytest.mark.parametrize(
    ("pricing", "outcomes"),
    [
        ("cpm", [Outcome.CHARGED, Outcome.COUNTED, Outcome.COUNTED]),
        ("cpc", [Outcome.COUNTED, Outcome.CHARGED, Outcome.COUNTED]),
        ("cpa", [Outcome.COUNTED, Outcome.COUNTED, Outcome.CHARGED]),
    ],
)
def test_each_pricing_pays_for_its_event(pricing: str, outcomes: list[Outcome]) -> None:
    ad = makers.ad(makers.campaign(pricing=pricing))
    served = makers.serve()
    recorded = [
        makers.see(served),
        serving.record_click(served.ticket, VIEWER),
        serving.record_action(served.ticket, VIEWER),
    ]
    assert [one.outcome for one in recorded] == outcomes
    cost = 250 if pricing == "cpm" else MICROS // 4
    assert makers.left(ad.campaign) == 100 * MICROS - cost


def test_a_click_within_half_a_second_is_invalid_and_the_next_one_valid() -> None:
    ad = makers.ad()
    served = makers.serve()
    serving.record_view(served.ticket, VIEWER)
    assert serving.record_click(served.ticket, VIEWER).outcome is Outcome.INVALID
    makers.move_back(served, "seen", milliseconds=500)
    assert serving.record_click(served.ticket, VIEWER).outcome is Outcome.CHARGED
    counts = client.get().hgetall(keys.COUNTS(ad=ad.pk))
    assert counts == {"views": "1", "clicks": "1", "invalid": "1"}


def test_a_click_without_a_look_and_an_action_without_a_click_are_invalid() -> None:
    makers.ad(makers.campaign(pricing="cpa"))
    served = makers.serve()
    assert serving.record_click(served.ticket, VIEWER).outcome is Outcome.INVALID
    makers.see(served)
    assert serving.record_action(served.ticket, VIEWER).outcome is Outcome.INVALID


@pytest.mark.parametrize("viewer", [Viewer("a", is_bot=True), Viewer("a", is_staff=True)])
def test_bots_and_staff_cost_nothing(viewer: Viewer) -> None:
    ad = makers.ad(makers.campaign(pricing="cpm"))
    served = makers.serve(viewer=viewer)
    assert makers.see(served, viewer).outcome is Outcome.INVALID
    assert makers.left(ad.campaign) == 100 * MICROS


def test_an_advertisers_own_views_cost_nothing(alice: User) -> None:
    ad = makers.ad(makers.campaign(pricing="cpm"))
    ad.campaign.advertiser.members.add(alice)
    changes.write_campaign(ad.campaign_id)
    viewer = Viewer("a", user_id=alice.pk)
    assert makers.see(makers.serve(viewer=viewer), viewer).outcome is Outcome.INVALID


def test_forged_stolen_and_expired_tickets_are_unknown() -> None:
    ad = makers.ad()
    served = makers.serve()
    forged = [f"{ad.pk}-{'x' * 22}", "", "\x00", "7", f"{ad.pk + 1}-{served.ticket.partition('-')[2]}"]
    for ticket in forged:
        assert serving.record_view(ticket, VIEWER).outcome is Outcome.UNKNOWN
    assert serving.record_view(served.ticket, Viewer("thief")).outcome is Outcome.UNKNOWN
    client.get().delete(keys.TICKET(ticket=served.ticket.partition("-")[2]))
    assert serving.record_click(served.ticket, VIEWER).outcome is Outcome.UNKNOWN


def test_a_click_that_the_budget_no_longer_covers_is_free() -> None:
    ad = makers.ad(makers.campaign(budget_micros=MICROS // 4))
    tickets = [makers.serve() for _ in range(2)]
    for served in tickets:
        makers.see(served)
    outcomes = [serving.record_click(served.ticket, VIEWER).outcome for served in tickets]
    assert outcomes == [Outcome.CHARGED, Outcome.UNPAID]
    assert makers.left(ad.campaign) == 0
    assert choose() is None


def test_a_click_on_a_stopped_campaign_is_free() -> None:
    ad = makers.ad()
    served = makers.serve()
    makers.see(served)
    changes.switch_campaign(ad.campaign_id, on=False)
    assert serving.record_click(served.ticket, VIEWER).outcome is Outcome.UNPAID


def test_what_serving_leaves_expires() -> None:
    makers.ad()
    served = makers.serve()
    connected, today = client.get(), keys.day_name(timezone.localdate())
    ticket_key = keys.TICKET(ticket=served.ticket.partition("-")[2])
    assert 890 <= connected.ttl(ticket_key) <= 900
    makers.see(served)
    assert 890 <= connected.ttl(ticket_key) <= 900
    serving.record_click(served.ticket, VIEWER)
    assert 86_390 <= connected.ttl(ticket_key) <= 86_400
    serving.hide(served.ticket, VIEWER)
    assert 86_390 <= connected.ttl(keys.SEEN(viewer=VIEWER.key)) <= 86_400
    assert connected.ttl(keys.HIDDEN(viewer=VIEWER.key)) > 29 * 86_400
    for key in (keys.DAY(day=today), keys.SPENT(day=today)):
        assert 0 < connected.ttl(key) <= keys.DAY_TTL_SECONDS
    assert 0 < connected.ttl(keys.REQUESTS(day=today)) <= keys.REQUESTS_TTL_SECONDS


@pytest.mark.usefixtures("redis_away")
def test_without_redis_there_is_no_ad() -> None:
    with pytest.raises(client.UNAVAILABLE):
        serving.choose("shop", [], ANYWHERE, VIEWER)
