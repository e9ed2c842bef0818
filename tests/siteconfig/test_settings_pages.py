"""The admin's pages of settings: shown, changed, refused with a sentence, taken back."""

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from apps.accounts.models import User
from apps.coupons.live_settings import SALES
from apps.siteconfig.components.definitions import COMPONENTS
from apps.siteconfig.models import SettingsChange

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/admin/settings/sales/"


def test_every_component_is_on_the_page(boss: Client) -> None:
    page = boss.get("/admin/settings/").content.decode()
    assert [name for name, _ in COMPONENTS.items() if f"/admin/settings/{name}/" not in page] == []


def test_a_change_comes_into_force_and_can_be_taken_back(boss: Client) -> None:
    assert "Nobody has changed these settings." in boss.get(PAGE).content.decode()
    answer = boss.post(PAGE, {"based_on": "0", "pay_within_seconds": "120"}, follow=True)
    assert "reach every process within a second" in answer.content.decode()
    assert SALES.current().pay_within_seconds == 120
    assert "changed, default 900" in boss.get("/admin/settings/").content.decode()
    boss.post(f"{PAGE}restore/", {"number": "0", "based_on": "1"})
    assert SALES.current() == SALES.defaults()
    assert SettingsChange.objects.count() == 2
    entries = LogEntry.objects.order_by("pk").values_list("object_repr", "change_message")
    assert list(entries) == [
        ("sales 1", "changed settings"),
        ("sales 2", "put an earlier state in force again"),
    ]


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("pay_within_seconds", "5", "greater than or equal to 60"),
        ("pay_within_seconds", "soon", "Enter a whole number."),
        ("claims_per_ten_seconds", "10001", "less than or equal to 10000"),
    ],
)
def test_a_wrong_value_is_refused_with_a_sentence(
    boss: Client, field: str, value: str, sentence: str
) -> None:
    answer = boss.post(PAGE, {"based_on": "0", field: value})
    assert sentence in answer.content.decode()
    assert not SettingsChange.objects.exists()


def test_whoever_is_late_is_told(boss: Client) -> None:
    boss.post(PAGE, {"based_on": "0", "pay_within_seconds": "120"})
    answer = boss.post(PAGE, {"based_on": "0", "pay_within_seconds": "240"})
    assert "Somebody has changed these settings meanwhile" in answer.content.decode()
    answer = boss.post(f"{PAGE}restore/", {"number": "0", "based_on": "0"}, follow=True)
    assert "Somebody has changed these settings meanwhile" in answer.content.decode()
    assert SALES.current().pay_within_seconds == 120


@pytest.mark.both_databases
@pytest.mark.usefixtures("redis_away")
def test_without_redis_the_pages_answer(boss: Client) -> None:
    assert boss.get("/admin/settings/").status_code == 200
    assert boss.get(PAGE).status_code == 200
    assert boss.post(PAGE, {"based_on": "0", "pay_within_seconds": "120"}).status_code == 302


def test_staff_without_the_permission_are_refused(client: Client, alice: User) -> None:
    alice.is_staff = True
    alice.save()
    client.force_login(alice)
    assert client.get("/admin/settings/").status_code == 403
    assert client.post(PAGE, {"based_on": "0"}).status_code == 403
    assert client.get("/admin/settings/nothing/").status_code == 403


def test_there_is_no_page_of_an_unknown_part(boss: Client) -> None:
    assert boss.get("/admin/settings/nothing/").status_code == 404
