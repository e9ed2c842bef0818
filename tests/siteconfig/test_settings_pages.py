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


def minutes(number: str) -> dict[str, str]:
    """The fields of the time to pay, entered in minutes."""
    return {"pay_within_seconds_0": number, "pay_within_seconds_1": "60"}


def test_every_component_is_on_the_page(boss: Client) -> None:
    page = boss.get("/admin/settings/").content.decode()
    assert [name for name, _ in COMPONENTS.items() if f"/admin/settings/{name}/" not in page] == []


def test_a_change_comes_into_force_and_can_be_taken_back(boss: Client) -> None:
    assert "Nobody has changed these settings." in boss.get(PAGE).content.decode()
    answer = boss.post(PAGE, {"based_on": "0"} | minutes("2"), follow=True)
    assert "reach every process within a second" in answer.content.decode()
    assert SALES.current().pay_within_seconds == 120
    assert "changed, default 15 minutes" in boss.get("/admin/settings/").content.decode()
    boss.post(f"{PAGE}restore/", {"number": "0", "based_on": "1"})
    assert SALES.current() == SALES.defaults()
    assert SettingsChange.objects.count() == 2
    entries = LogEntry.objects.order_by("pk").values_list("object_repr", "change_message")
    assert list(entries) == [
        ("sales 1", "changed settings"),
        ("sales 2", "put an earlier state in force again"),
    ]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"pay_within_seconds_0": "0", "pay_within_seconds_1": "60"}, "At least 1 minute."),
        ({"pay_within_seconds_0": "5", "pay_within_seconds_1": "1"}, "At least 60 seconds."),
        ({"pay_within_seconds_0": "25", "pay_within_seconds_1": "3600"}, "At most 24 hours."),
        ({"pay_within_seconds_0": "0", "pay_within_seconds_1": "3600"}, "At least 1 minute."),
        ({"pay_within_seconds_0": "9" * 400, "pay_within_seconds_1": "60"}, "less than or equal to"),
        ({"pay_within_seconds_0": "soon", "pay_within_seconds_1": "60"}, "Enter a whole number."),
        ({"pay_within_seconds_0": "1.5", "pay_within_seconds_1": "3600"}, "Enter a whole number."),
        ({"pay_within_seconds_0": "-1", "pay_within_seconds_1": "60"}, "greater than or equal to 0"),
        ({"pay_within_seconds_0": "1", "pay_within_seconds_1": "86400"}, "Select a valid choice."),
        ({"pay_within_seconds_0": "1\x00", "pay_within_seconds_1": "\x00"}, "Select a valid choice."),
        ({"claims_per_ten_seconds": "10001"}, "less than or equal to 10000"),
    ],
)
def test_a_wrong_value_is_refused_with_a_sentence(
    boss: Client, fields: dict[str, str], sentence: str
) -> None:
    answer = boss.post(PAGE, {"based_on": "0"} | fields)
    assert sentence in answer.content.decode()
    assert not SettingsChange.objects.exists()


@pytest.mark.parametrize(
    ("number", "unit", "seconds", "english", "chinese"),
    [
        ("90", "1", 90, "90 seconds", "90秒"),
        ("1", "60", 60, "1 minute", "1分钟"),
        ("120", "60", 7_200, "2 hours", "2小时"),
        ("24", "3600", 86_400, "24 hours", "24小时"),
        ("20", "", 1_200, "20 minutes", "20分钟"),
    ],
)
def test_a_duration_is_entered_and_read_in_a_unit_and_kept_in_seconds(
    boss: Client, number: str, unit: str, seconds: int, english: str, chinese: str
) -> None:
    fields = {"based_on": "0", "pay_within_seconds_0": number, "pay_within_seconds_1": unit}
    assert boss.post(PAGE, fields).status_code == 302
    assert SettingsChange.objects.get().overrides == {"pay_within_seconds": seconds}
    assert SALES.current().pay_within_seconds == seconds
    for page in (PAGE, "/admin/settings/"):
        assert english in boss.get(page).content.decode()
        assert chinese in boss.get(page, headers={"accept-language": "zh-CN"}).content.decode()


def test_every_setting_in_time_or_size_is_one_that_people_read() -> None:
    """A new setting of seconds says so by SECONDS; of bytes or milliseconds there is none yet."""
    named = [
        (component, setting) for _name, component in COMPONENTS.items() for setting in component.settings
    ]
    assert [setting.name for _, setting in named if setting.about.is_duration] == ["pay_within_seconds"]
    for _component, setting in named:
        assert setting.about.unit in {"", "%"} or setting.about.is_duration, setting.name
        assert not setting.name.endswith(("_bytes", "_ms", "_milliseconds", "_minutes", "_hours"))
        assert setting.about.is_duration == (
            setting.name.endswith("_seconds") and not setting.name.endswith("per_ten_seconds")
        )


def test_whoever_is_late_is_told(boss: Client) -> None:
    boss.post(PAGE, {"based_on": "0"} | minutes("2"))
    answer = boss.post(PAGE, {"based_on": "0"} | minutes("4"))
    assert "Somebody has changed these settings meanwhile" in answer.content.decode()
    answer = boss.post(f"{PAGE}restore/", {"number": "0", "based_on": "0"}, follow=True)
    assert "Somebody has changed these settings meanwhile" in answer.content.decode()
    assert SALES.current().pay_within_seconds == 120


@pytest.mark.both_databases
@pytest.mark.usefixtures("redis_away")
def test_without_redis_the_pages_answer(boss: Client) -> None:
    assert boss.get("/admin/settings/").status_code == 200
    assert boss.get(PAGE).status_code == 200
    assert boss.post(PAGE, {"based_on": "0"} | minutes("2")).status_code == 302


def test_staff_without_the_permission_are_refused(client: Client, alice: User) -> None:
    alice.is_staff = True
    alice.save()
    client.force_login(alice)
    assert client.get("/admin/settings/").status_code == 403
    assert client.post(PAGE, {"based_on": "0"}).status_code == 403
    assert client.get("/admin/settings/nothing/").status_code == 403


def test_there_is_no_page_of_an_unknown_part(boss: Client) -> None:
    assert boss.get("/admin/settings/nothing/").status_code == 404
