"""A site begins without the demo: one command makes its manager and city, and a list says what is left."""

import os
from io import StringIO
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.backoffice import first_steps
from apps.shops.geo import cities
from apps.shops.models import City, ShopType
from tests.factories import FlashSaleFactory
from tests.shops import makers

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "crab lantern orbit velvet"  # noqa: S105
OSAKA = {"name_en": "Osaka", "name_zh": "大阪", "lat": "34.69", "lng": "135.50", "phone": "+81 90 1234 5678"}


def set_up(*, password: str = PASSWORD, **options: Any) -> str:
    """What the command prints when it asks nothing."""
    printed = StringIO()
    with mock.patch.dict(os.environ, {"MANAGER_PASSWORD": password}):
        call_command("setup_city", no_input=True, stdout=printed, **options)
    return printed.getvalue()


@pytest.fixture
def empty() -> None:
    """A site after migrate."""
    City.objects.all().delete()


@pytest.mark.both_databases
def test_one_command_makes_manager_city_and_types(empty: None, client: Client) -> None:
    printed = set_up(**OSAKA)
    assert "Log in as +819012345678" in printed
    assert "CURRENCY=CNY" in printed
    assert cities.first().slug == "osaka"
    assert ShopType.objects.count() == 10
    answer = client.post("/admin/login/", {"username": "+81 90 1234 5678", "password": PASSWORD})
    assert answer.status_code == 302
    assert "Before your guests come" in client.get("/admin/").content.decode()


def test_it_is_safe_to_run_again(empty: None) -> None:
    set_up(**OSAKA)
    printed = set_up()
    assert "(was there)" in printed
    assert "City: was there; new types of shops: 0" in printed
    assert (City.objects.count(), User.objects.count()) == (1, 1)
    set_up(name_en="Kobe", lat="34.69", lng="135.19")
    assert [city.position for city in City.objects.all()] == [1, 2]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"phone": ""}, "--phone: "),
        ({"phone": "12"}, "--phone: "),
        ({"password": "short"}, "MANAGER_PASSWORD: "),
        ({"password": "savor savor savor"}, "MANAGER_PASSWORD: Easy to guess"),
        ({"name_en": "", "name_zh": ""}, "The city: "),
        ({"name_en": "", "name_zh": "小村"}, "The city: slug: "),
        ({"slug": "Osaka Fu"}, "The city: slug: "),
        ({"lat": "north"}, "--lat: write a number, such as 30.25, in place of 'north'. "),
        ({"radius_km": "far"}, "--radius-km: write a number, such as 30.25, in place of 'far'. "),
        ({"lat": "nan"}, "The city: lat: "),
        ({"lat": "91"}, "The city: lat: "),
        ({"lng": "1e400"}, "The city: lng: "),
        ({"radius_km": "0"}, "The city: radius: "),
        ({"radius_km": "51"}, "The city: radius: "),
        ({"name_en": "x" * 51}, "The city: name_en: "),
        ({"name_en": "Osa\x00ka"}, "The city: name_en: "),
    ],
)
def test_a_wrong_word_is_one_sentence_and_nothing_is_written(
    empty: None, changed: dict[str, str], sentence: str
) -> None:
    with pytest.raises(CommandError, match=f"^{sentence}.*Nothing was written.$"):
        set_up(**OSAKA | changed)
    assert [model.objects.count() for model in (User, City, ShopType)] == [0, 0, 0]


def test_it_asks_again_until_an_answer_is_right(empty: None, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["nobody", "+81 90 1234 5678", "Osaka", "", "here", "34.69", "135.50", ""])
    passwords = iter(["short", PASSWORD])
    monkeypatch.setattr("builtins.input", lambda _question: next(answers))
    monkeypatch.setattr("getpass.getpass", lambda _question: next(passwords))
    complaints = StringIO()
    call_command("setup_city", stdout=StringIO(), stderr=complaints)
    assert len(complaints.getvalue().splitlines()) == 3
    assert City.objects.get().radius_m == pytest.approx(10_000, rel=0.02)
    assert User.objects.get().check_password(PASSWORD)


def test_the_list_ticks_what_is_true(empty: None, settings: Settings, tmp_path: Path) -> None:
    settings.DEMO, settings.VAR_DIR = False, tmp_path
    assert [step.is_done for step in first_steps.list_steps()] == [False] * 7
    set_up(**OSAKA)
    makers.shop()
    FlashSaleFactory.create()
    settings.SMS_SENDER, settings.PAYMENT_PROVIDER = "a.Sender", "a.Provider"
    (tmp_path / "last-backup").touch()
    assert all(step.is_done for step in first_steps.list_steps())
    os.utime(tmp_path / "last-backup", (0, 0))
    assert [step.is_done for step in first_steps.list_steps()][-2:] == [True, False]


def test_the_list_is_for_who_runs_the_city_and_ends_when_all_is_done(
    empty: None, settings: Settings, client: Client, boss: Client, alice: User
) -> None:
    settings.DEMO = True
    page = boss.get("/admin/").content.decode()
    assert 'href="/admin/shops/city/add/"' in page
    set_up(**OSAKA)
    FlashSaleFactory.create()
    assert "Before your guests come" not in boss.get("/admin/").content.decode()
    City.objects.all().delete()
    alice.is_staff = True
    alice.save()
    client.force_login(alice)
    assert "Before your guests come" not in client.get("/admin/").content.decode()
