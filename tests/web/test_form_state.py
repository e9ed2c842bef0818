"""A form in two tabs, or of two people: neither undoes what the other saves; and how its state is written."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django import forms
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons.live_settings import SALES
from apps.coupons.webhooks import endpoints
from apps.mailbox.models import Preferences
from apps.shops.models import ShopMember
from apps.siteconfig.maintenance.switch import switch
from apps.web import form_state
from tests import form_page
from tests.coupons import buyers
from tests.factories import NoteFactory, SaveListFactory, ShopFactory, ShopMemberFactory
from tests.sample_pictures import make_picture

STATE, QUESTION = form_state.STATE_FIELD, "This was changed while you had the page open"
#: (path, address of the POST, a field with two values, another field with a value, how they are read)
Case = tuple[str, str, tuple[str, str, str], tuple[str, str], Callable[[], dict[str, Any]]]


def of_profile(me: User, _settings: Any) -> Case:
    def read() -> dict[str, Any]:
        return dict(User.objects.values("bio", "city").get(pk=me.pk))

    return "/me/edit/", "", ("bio", "Noodles", "Tea"), ("city", "Suzhou"), read


def of_welcome(me: User, _settings: Any) -> Case:
    def read() -> dict[str, Any]:
        return dict(User.objects.values("nickname").get(pk=me.pk))

    return "/welcome/", "", ("nickname", "Ada", "Grace"), ("nickname", "Ada"), read


def of_shop(me: User, _settings: Any) -> Case:
    shop = ShopFactory.create(about_en="Two\nlines")
    ShopMemberFactory.create(shop=shop, user=me, role=ShopMember.Role.OWNER)

    def read() -> dict[str, Any]:
        return dict(type(shop).objects.values("phone", "about_zh").get(pk=shop.pk))

    return f"/shops/{shop.pk}/edit/", "", ("phone", "1", "2"), ("about_zh", "面"), read


def of_preferences(me: User, _settings: Any) -> Case:
    Preferences.objects.choose(me.pk, {}, quiet_from=20, quiet_until=21)

    def read() -> dict[str, Any]:
        found = Preferences.objects.of_people([me.pk])[me.pk]
        return {"quiet_from": str(found.quiet_from), "quiet_until": str(found.quiet_until)}

    return "/notifications/preferences/", "", ("quiet_from", "1", "2"), ("quiet_until", "3"), read


def of_list(me: User, _settings: Any) -> Case:
    found = SaveListFactory.create(owner=me, name="Tour")

    def read() -> dict[str, Any]:
        return dict(type(found).objects.values("name", "description").get(pk=found.pk))

    return f"/lists/{found.pk}/edit/", "", ("name", "Walk", "Ride"), ("description", "On Sundays"), read


def of_webhook(me: User, settings: Any) -> Case:
    settings.DEMO = True
    shop = ShopFactory.create()
    ShopMemberFactory.create(shop=shop, user=me, role=ShopMember.Role.OWNER)
    made = endpoints.register(shop, me, url="https://8.8.8.8/", events=["order.paid", "order.used"])

    def read() -> dict[str, Any]:
        now = endpoints.get(shop, made.pk)
        return {"url": now.url, "events": ",".join(now.event_list)}

    urls = ("url", "https://8.8.8.8/a", "https://8.8.8.8/b")
    return f"/shops/{shop.pk}/webhooks/{made.pk}/", "", urls, ("events", "order.used"), read


def of_note(me: User, _settings: Any) -> Case:
    note = NoteFactory.create(author=me, title="Lunch", text="Good")

    def read() -> dict[str, Any]:
        return dict(type(note).objects.values("title", "text").get(pk=note.pk))

    return f"/notes/{note.pk}/edit/", "", ("title", "Dinner", "Supper"), ("text", "Very good"), read


def of_settings(me: User, _settings: Any) -> Case:
    def read() -> dict[str, Any]:
        now = SALES.current()
        return {"pay_within_seconds_0": str(now.pay_within_seconds // 60)}

    # One field is enough: the others are counted as it is.
    changed = ("pay_within_seconds_0", "2", "3")
    return "/admin/settings/sales/", "", changed, ("pay_within_seconds_0", "2"), read


def of_maintenance(me: User, _settings: Any) -> Case:
    def read() -> dict[str, Any]:
        now = switch.closed
        return {"text_en": now.text_en if now else "", "text_zh": now.text_zh if now else ""}

    path = "/admin/maintenance/"
    return path, f"{path}close/", ("text_en", "Soon", "Later"), ("text_zh", "马上"), read


CASES = (
    of_profile,
    of_welcome,
    of_shop,
    of_preferences,
    of_list,
    of_webhook,
    of_note,
    of_settings,
    of_maintenance,
)


def reader_of(case: Callable[..., Case], me: User) -> Client:
    """Who opens the form: a manager the admin's, the person their own."""
    if case in {of_settings, of_maintenance}:
        opened = Client(headers=buyers.SAME_ORIGIN)
        opened.force_login(me)
        return opened
    return buyers.browser_client(me)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("case", CASES)
def test_the_older_tab_undoes_nothing_and_asks(
    manager: User, settings: Any, case: Callable[..., Case]
) -> None:
    path, address, (name, first, second), (other, typed), read = case(manager, settings)
    client = reader_of(case, manager)
    older, newer = (form_page.read_form(client.get(path).content, STATE) for _ in range(2))
    assert client.post(address or path, newer | {name: first}).status_code == 302
    assert read()[name] == first
    if other != name:
        assert client.post(address or path, older | {other: typed}).status_code == 302
        assert (read()[name], read()[other]) == (first, typed)
    answer = client.post(address or path, older | {name: second})
    assert QUESTION in answer.content.decode()
    assert read()[name] == first
    asked = form_page.read_form(answer.content, STATE)
    choice = f"{name.removesuffix('_0')}-{STATE}"
    kept = client.post(address or path, asked | {name: second, choice: "theirs"})
    assert (kept.status_code, read()[name]) == (302, first)
    answer = client.post(address or path, asked | {name: second, choice: "mine"})
    assert (answer.status_code, read()[name]) == (302, second)
    if case is of_maintenance:
        client.post("/admin/maintenance/open/")


@pytest.mark.django_db(transaction=True)
def test_a_city_in_the_other_language_is_no_change(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(city="杭州")
    client = buyers.browser_client(alice)
    older = form_page.read_form(client.get("/me/edit/").content, STATE)
    User.objects.filter(pk=alice.pk).update(city="Suzhou")
    assert client.post("/me/edit/", older | {"bio": "Tea", "city": "Hangzhou"}).status_code == 302
    assert User.objects.values_list("city", "bio").get(pk=alice.pk) == ("Suzhou", "Tea")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("sends", ["file", "face"])
def test_two_pictures_are_asked_about(alice: User, sends: str) -> None:
    client = buyers.browser_client(alice)
    older, newer = (form_page.read_form(client.get("/me/edit/").content, STATE) for _ in range(2))

    def picture() -> dict[str, Any]:
        if sends == "face":
            return {"face": "01"}
        return {"picture": SimpleUploadedFile("me.png", make_picture(), "image/png")}

    assert client.post("/me/edit/", newer | picture()).status_code == 302
    now = User.objects.get(pk=alice.pk).avatar.name
    answer = client.post("/me/edit/", older | picture())
    assert QUESTION in answer.content.decode()
    assert User.objects.get(pk=alice.pk).avatar.name == now
    asked = form_page.read_form(answer.content, STATE)
    assert client.post("/me/edit/", asked | picture() | {f"picture-{STATE}": "theirs"}).status_code == 302
    assert User.objects.get(pk=alice.pk).avatar.name == now
    assert client.post("/me/edit/", asked | picture() | {f"picture-{STATE}": "mine"}).status_code == 302
    assert User.objects.get(pk=alice.pk).avatar.name != now


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 0, 4900, 30.2741, "a\nb", "", "杭州", [], ["1", "2"], [1, [2]]),
        *(date(2026, 11, 28), time(9, 30), timedelta(hours=2, microseconds=1), Decimal("1.50"), {"a": [1]}),
        datetime(2026, 11, 28, 9, 30, 5, 7, tzinfo=UTC),
    ],
)
def test_a_value_comes_back_from_json(value: Any) -> None:
    plain = json.loads(json.dumps(form_state.to_plain(value)))
    assert form_state.to_value(plain) == value
    assert form_state.to_plain(form_state.to_value(plain)) == plain


def test_equal_values_are_plain_alike() -> None:
    moment = datetime(2026, 11, 28, 9, 30, tzinfo=UTC)
    assert form_state.to_plain(moment) == form_state.to_plain(timezone.localtime(moment))
    assert form_state.to_plain("a\r\nb\rc") == form_state.to_plain("a\nb\nc")
    assert form_state.to_plain(Decimal("1.5")) == form_state.to_plain(Decimal("1.50"))


class Sample(forms.Form):
    size = forms.ChoiceField(choices=[("", "None"), ("Large", [("l", "Large one")]), ("s", "Small")])
    sizes = forms.MultipleChoiceField(choices=[("l", "Large"), ("s", "Small")])
    wanted = forms.BooleanField()
    at = forms.SplitDateTimeField()
    amount = forms.DecimalField()


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("size", "l", "Large one"),
        ("size", "s", "Small"),
        ("size", "x", "x"),
        ("sizes", ["l", "s"], "Large, Small"),
        ("sizes", [], "–"),
        ("wanted", "on", "yes"),
        ("wanted", False, "no"),
        ("at", ["2026-11-28", "09:30"], "2026-11-28 09:30"),
        ("amount", Decimal("1.50"), "1.50"),
        ("amount", None, "–"),
    ],
)
def test_a_value_is_said_in_words(name: str, value: Any, text: str) -> None:
    assert form_state.describe(Sample().fields[name], value) == text
