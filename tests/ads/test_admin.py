"""The admin of ads: managers see all, advertisers their own, and every write reaches Redis."""

import csv
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.accounts.staff import role_groups
from apps.adminkit.roles import Role
from apps.ads import roles, serving
from apps.ads.models import MICROS, Ad, Campaign
from apps.blog import access, comments
from tests import sample_pictures
from tests.ads import makers
from tests.blog import makers as notes
from tests.factories import AdDailyCountFactory, AdvertiserFactory, ChargeFactory, NoteFactory
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)
TRY_PAGE = "/admin/ads/ad/try/"
LISTS = ("advertiser", "campaign", "ad", "charge")


@pytest.fixture
def others() -> Ad:
    """An ad of an advertiser that bob has nothing to do with, with a charge."""
    stranger = AdvertiserFactory.create(name_en="Stranger")
    ad = makers.ad(makers.campaign(advertiser=stranger, name="Secret plan"), title_en="Secret offer")
    ChargeFactory.create(ad=ad)
    return ad


@pytest.fixture
def own(bob: User) -> Ad:
    """An ad of bob's advertiser, with a charge."""
    makers.advertiser().members.add(bob)
    ad = makers.ad(title_en="Our offer", shop=shops.shop())
    ChargeFactory.create(ad=ad)
    return ad


@pytest.fixture
def advertiser(client: Client, bob: User) -> Client:
    """Bob, logged in to the admin as an advertiser."""
    role_groups.grant(bob, Role.ADVERTISER)
    client.force_login(User.objects.get(pk=bob.pk))
    return client


def text(answer: Any) -> str:
    return str(answer.content.decode())


def own_path(row: Any, *, add: str = "change/") -> str:
    return f"/admin/ads/{row._meta.model_name}/{row.pk}/{add}"


def rows_of(ad: Ad) -> list[Any]:
    return [ad, ad.campaign, ad.campaign.advertiser, ad.charges.get()]


@pytest.mark.both_databases
def test_an_advertiser_lists_their_own_rows(advertiser: Client, own: Ad, others: Ad) -> None:
    pages = {name: text(advertiser.get(f"/admin/ads/{name}/")) for name in LISTS}
    for page in pages.values():
        assert "Secret" not in page
        assert "Stranger" not in page
    assert "Our offer" in pages["ad"]
    assert "Hot Pot House" in pages["advertiser"]


@pytest.mark.both_databases
def test_an_advertiser_opens_their_own_rows_only(advertiser: Client, own: Ad, others: Ad) -> None:
    assert [advertiser.get(own_path(row)).status_code for row in rows_of(own)] == [200] * 4
    assert [advertiser.get(own_path(row)).status_code for row in rows_of(others)] == [404] * 4
    assert [advertiser.get(own_path(row, add="history/")).status_code for row in rows_of(others)] == [404] * 4


@pytest.mark.both_databases
def test_an_advertiser_exports_their_own_charges(advertiser: Client, own: Ad, others: Ad) -> None:
    Campaign.objects.filter(pk=own.campaign_id).update(name="=1+1")
    answer = advertiser.get("/admin/ads/charge/export/?kind__exact=click")
    titles, row = csv.reader(b"".join(answer).decode("utf-8-sig").splitlines())
    assert row[2:] == ["'=1+1", "Our offer", str(own.pk), "click", "0.25", "CNY", "yes"]
    assert len(titles) == len(row)
    assert str(others.charges.get().pk) != row[0]


@pytest.mark.both_databases
def test_an_advertiser_changes_nothing_of_others(advertiser: Client, own: Ad, others: Ad) -> None:
    for row in (others, others.campaign):
        assert advertiser.post(own_path(row), {"stop": "1"}).status_code == 404
        ids = {"action": "stop", "_selected_action": [row.pk]}
        advertiser.post(f"/admin/ads/{row._meta.model_name}/", ids)
    assert Ad.objects.get(pk=others.pk).is_on
    assert Campaign.objects.get(pk=others.campaign_id).is_on
    refused = advertiser.post("/admin/ads/ad/add/", ad_form(campaign=others.campaign_id))
    assert "not one of the available choices" in text(refused)
    assert Ad.objects.count() == 2


@pytest.mark.parametrize(
    "path",
    [TRY_PAGE, "/admin/ads/refusedcharge/", "/admin/accounts/user/", "/admin/shops/shop/"]
    + ["/admin/coupons/voucherorder/", "/admin/visitors/", "/admin/redis/", "/admin/ads/advertiser/add/"],
)
def test_an_advertiser_sees_nothing_else(advertiser: Client, path: str) -> None:
    assert advertiser.get(path).status_code == 403


@pytest.mark.both_databases
def test_an_advertiser_has_no_power_on_the_site(advertiser: Client, alice: User, bob: User) -> None:
    note = notes.note(alice)
    made = comments.add(note.pk, alice, "Hm")
    assert not access.may_delete(made, note, User.objects.get(pk=bob.pk))
    token = tokens.issue(bob, kind=AccessToken.Kind.API)
    answer = Client().get("/api/uv", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 403


@pytest.mark.both_databases
def test_the_dashboard_shows_an_advertiser_their_own(advertiser: Client, own: Ad, others: Ad) -> None:
    AdDailyCountFactory.create(ad=own, views=10, spent_micros=3 * MICROS)
    AdDailyCountFactory.create(ad=others, views=10, spent_micros=7 * MICROS)
    page = text(advertiser.get("/admin/"))
    assert "¥3.00" in page
    assert "Secret" not in page


@pytest.mark.both_databases
def test_members_may_enter_the_admin(boss: Client, alice: User) -> None:
    row = makers.advertiser()
    boss.post(own_path(row), {"name_en": "House", "name_zh": "", "members": [alice.pk]})
    member = User.objects.get(pk=alice.pk)
    assert member.is_staff
    assert member.has_perms(["ads.view_ad", "ads.change_campaign"])
    assert not member.has_perm(roles.SEE_ALL)


def ad_form(**fields: Any) -> dict[str, Any]:
    return {
        "title_en": "Tea",
        "title_zh": "茶",
        "text_en": "",
        "text_zh": "",
        "link": "/shops/7/",
        "shop": "",
        "places": ["\t", "Hangzhou\t"],
        "words": "Hot Pot，火锅, hot  pot",
    } | fields


@pytest.mark.both_databases
def test_an_ad_is_made_with_places_words_and_a_redrawn_picture(boss: Client) -> None:
    shops.shop(city_en="Hangzhou")
    picture = SimpleUploadedFile("me.png", sample_pictures.make_picture(), "image/png")
    sent = ad_form(campaign=makers.campaign().pk, picture=picture)
    assert boss.post("/admin/ads/ad/add/", sent).status_code == 302
    ad = Ad.objects.get()
    assert sorted(ad.locations.values_list("city", "area")) == [("", ""), ("Hangzhou", "")]
    assert sorted(ad.words.values_list("word", flat=True)) == ["hot pot", "火锅"]
    shown = boss.get(ad.picture_url)
    assert (shown.status_code, shown.headers["Content-Type"]) == (200, "image/webp")
    assert makers.serve("火锅").ad_id == ad.pk


@pytest.mark.both_databases
def test_what_is_no_picture_is_refused(boss: Client) -> None:
    shops.shop(city_en="Hangzhou")
    sent = ad_form(campaign=makers.campaign().pk, picture=SimpleUploadedFile("me.png", b"text", "image/png"))
    assert "This is no picture we can read" in text(boss.post("/admin/ads/ad/add/", sent))
    assert not Ad.objects.exists()


def campaign_form(row: Campaign, **fields: Any) -> dict[str, Any]:
    begins = timezone.localtime(row.begins_at)
    return {
        "advertiser": row.advertiser_id,
        "name": row.name,
        "pricing": row.pricing,
        "price_micros": "0.25",
        "budget_micros": "100",
        "daily_cap_micros": "",
        "views_per_person": "20",
        "begins_at_0": f"{begins:%Y-%m-%d}",
        "begins_at_1": f"{begins:%H:%M:%S}",
    } | fields


@pytest.mark.both_databases
def test_a_budget_changes_while_the_campaign_runs(boss: Client) -> None:
    row = makers.campaign()
    assert boss.post(own_path(row), campaign_form(row, budget_micros="40.5")).status_code == 302
    row.refresh_from_db()
    assert row.budget_micros == 40_500_000
    assert makers.left(row) == 40_500_000


def test_a_budget_that_pays_for_nothing_is_refused(boss: Client) -> None:
    row = makers.campaign()
    for budget in ("0", "0.24"):
        page = text(boss.post(own_path(row), campaign_form(row, budget_micros=budget)))
        assert "The budget must pay for at least one view, click or action." in page
    assert boss.post(own_path(row), campaign_form(row, budget_micros="0.25")).status_code == 302


@pytest.mark.both_databases
def test_a_budget_below_what_is_spent_is_refused(boss: Client) -> None:
    row = makers.campaign(price_micros=10 * MICROS)
    makers.ad(row)
    served = makers.serve()
    makers.see(served)
    serving.record_click(served.ticket, makers.VIEWER)
    page = text(boss.post(own_path(row), campaign_form(row, price_micros="10", budget_micros="9.99")))
    assert "¥10.00 are spent already" in page
    row.refresh_from_db()
    assert row.budget_micros == 100 * MICROS


@pytest.mark.both_databases
def test_stop_and_go_on(advertiser: Client, own: Ad) -> None:
    for row in (own, own.campaign):
        advertiser.post(own_path(row), {"stop": "1"})
        assert serving.choose("shop", [], makers.ANYWHERE, makers.VIEWER) is None
        advertiser.post(own_path(row), {"resume": "1"})
        assert makers.serve().ad_id == own.pk


@pytest.mark.both_databases
def test_reports_have_two_weeks(boss: Client, own: Ad) -> None:
    for back in range(3):
        day = timezone.localdate() - timedelta(days=back)
        AdDailyCountFactory.create(ad=own, day=day, served=40, views=30, clicks=3, spent_micros=750_000)
    for row in (own, own.campaign):
        page = text(boss.get(own_path(row)))
        assert "10.00 %" in page
        assert page.count('class="chart"') == 4


@pytest.mark.both_databases
def test_why_this_ad_here_lists_the_competitors(boss: Client) -> None:
    shop = shops.shop(name_en="Third Floor Hot Pot", city_en="Hangzhou")
    for yuan, title in ((3, "Cheap ad"), (9, "Dear ad")):
        makers.ad(makers.campaign(pricing="cpm", price_micros=yuan * MICROS), title_en=title)
    page = text(boss.get(TRY_PAGE, {"shop": shop.pk}))
    assert page.index("Dear ad") < page.index("Cheap ad")


def test_why_this_ad_here_takes_the_pasted_address_of_a_page(boss: Client) -> None:
    shop = shops.shop(name_en="Third Floor Hot Pot", city_en="Hangzhou")
    note = NoteFactory.create(shop=shop, title="Broth for hours")
    for address, word in (
        (f"https://savor.example/shops/{shop.pk}/?from=map#notes", "third floor"),
        (f"savor.example/shops/{shop.pk}/", "third floor"),
        (f"/notes/{note.pk}/", "broth"),
        ("http://localhost:8000/search/?q=dumplings&kind=shops", "dumplings"),
        ("dumplings", "dumplings"),
    ):
        page = text(boss.get(TRY_PAGE, {"address": address}))
        assert "Words of the page" in page, address
        assert word in page.partition("Words of the page")[2], address


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/notes/77/", "There is no such page."),
        ("/shops/99999999999999999999/", "There is no such page."),
        ("/no/where", "There is no such page."),
        ("http://[/shops/1/", "There is no such page."),
        ("/%00/%ff店", "There is no such page."),
        ("/sales/", "This page has no ads"),
        ("/" * 1_001, "at most 1000 characters"),
        ("", "one of the two"),
    ],
)
def test_an_address_without_ads_is_refused_with_a_sentence(boss: Client, address: str, sentence: str) -> None:
    assert sentence in text(boss.get(TRY_PAGE, {"address": address, "shop": ""}))


def test_a_shop_and_an_address_at_once_are_refused(boss: Client) -> None:
    shop = shops.shop(name_en="Third Floor Hot Pot", city_en="Hangzhou")
    assert "one of the two" in text(boss.get(TRY_PAGE, {"address": "tea", "shop": str(shop.pk)}))
    assert "Select a valid choice" in text(boss.get(TRY_PAGE, {"shop": "77"}))
