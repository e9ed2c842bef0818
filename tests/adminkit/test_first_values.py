"""What a form for something new comes with: nothing that acts on everybody unless somebody chooses it.

docs/operations.md has the list for people, under "What new things begin as".
"""

from typing import Any

import pytest
from django.contrib import admin
from django.test import Client, RequestFactory

from apps.mailbox.models import Broadcast
from apps.shops.geo import cities
from apps.shops.models import City, ShopType
from apps.siteconfig.forms import MaintenanceForm
from tests.checks import sources
from tests.factories import ShopFactory, ShopTypeFactory, UserFactory

pytestmark = pytest.mark.django_db
#: Values that a form of the admin comes with, and why each acts on nobody but its own row.
COME_WITH = {
    ("accounts.User", "nickname"): "of this person",
    ("accounts.User", "usable_password"): "of this person",
    ("shops.Shop", "is_listed"): "one more among shops; it stands nowhere first",
    ("shops.Shop", "popularity"): "0: nobody has looked at it",
    ("shops.ShopType", "position"): "behind all others",
    ("shops.City", "position"): "behind all others",
    ("coupons.Voucher", "is_offered"): "on its shop's page alone",
    ("ads.Campaign", "pricing"): "of this campaign",
    ("ads.Campaign", "begins_at"): "nothing is shown before it has an ad with places",
    ("ads.Campaign", "views_per_person"): "of this campaign",
}
TEXTS = {"title_en": "Fair", "text_en": "On Sunday", "title_zh": "", "text_zh": "", "path": "", "phones": ""}
NEWTOWN = {"slug": "newtown", "name_en": "Newtown", "name_zh": "", "lat": "40.0", "lng": "116.0"}
ADD = "/admin/shops/city/add/"


def test_nothing_acts_on_everybody_by_default(rf: RequestFactory) -> None:
    request = rf.get("/admin/")
    request.user = UserFactory.create(is_staff=True, is_superuser=True)
    found: dict[tuple[str, str], Any] = {}
    for model, site_admin in admin.site._registry.items():
        if site_admin.has_add_permission(request):
            form = site_admin.get_form(request)(initial=site_admin.get_changeform_initial_data(request))
            values = {(model._meta.label, name): form[name].initial for name in form.fields}
            found |= {place: value for place, value in values.items() if value not in (None, "", False)}
    assert {*found} - {*COME_WITH} == set()


def test_a_sale_begins_late_and_a_closed_site_opens_soon(boss: Client) -> None:
    """Ten minutes to take a sale back; half an hour of maintenance, which a question comes before."""
    sale = boss.get("/admin/coupons/flashsale/new-flash-sale/").context["form"]
    assert sale["begins"].value() == "10"
    assert MaintenanceForm()["ends"].value() == "30"


def test_the_list_stands_in_the_documents() -> None:
    page = sources.text(sources.ROOT / "docs" / "operations.md")
    section = page.split("## What new things begin as")[1].split("\n## ")[0]
    for word in ("City", "Shop type", "Broadcast", "Maintenance", "Ad", "Flash sale", "Voucher", "Campaign"):
        assert f"| {word} |" in section


def test_a_new_city_is_nobody_s_front_page(boss: Client) -> None:
    first = cities.first()
    form = boss.get(ADD).context["adminform"].form
    assert not form["is_open"].initial
    assert boss.post(ADD, NEWTOWN | {"position": form["position"].initial}).status_code == 302
    made = City.objects.get(slug="newtown")
    assert not made.is_open
    assert made.position == max(City.objects.exclude(pk=made.pk).values_list("position", flat=True)) + 1
    cities.forget()
    assert cities.first() == first


def test_an_empty_city_opens_only_on_purpose(boss: Client) -> None:
    chosen = NEWTOWN | {"position": "9", "is_open": "on"}
    assert "It has no shops yet" in boss.post(ADD, chosen).content.decode()
    assert boss.post(ADD, chosen | {"opens_empty": "on"}).status_code == 302
    City.objects.filter(slug="newtown").delete()
    ShopFactory.create(lat=40.0, lng=116.0)
    assert boss.post(ADD, chosen).status_code == 302


def test_the_only_city_may_be_empty(boss: Client) -> None:
    City.objects.all().delete()
    assert boss.post(ADD, NEWTOWN | {"position": "1", "is_open": "on"}).status_code == 302


def test_a_new_type_comes_last(boss: Client) -> None:
    ShopTypeFactory.create(position=41)
    form = boss.get("/admin/shops/shoptype/add/").context["adminform"].form
    assert form["position"].initial == 42
    assert ShopType.objects.filter(position__gt=41).count() == 0


def test_a_broadcast_goes_to_nobody_unless_it_is_said(boss: Client) -> None:
    answer = boss.post("/admin/mailbox/broadcast/add/", TEXTS | {"audience": ""})
    assert answer.status_code == 200
    assert not Broadcast.objects.exists()
    assert boss.post("/admin/mailbox/broadcast/add/", TEXTS | {"audience": "everybody"}).status_code == 302
