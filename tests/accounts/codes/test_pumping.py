"""Codes sent at the site's cost: a day's budget with its alarm, and the countries that the site serves."""

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts import limits
from apps.accounts.codes import budget, codes
from apps.accounts.live_settings import LOGINS
from apps.accounts.models import DailyCount
from apps.outbox.models import Message
from apps.web.problems import Problem
from tests.accounts import sms_recorder

PHONE, IP = "+8613800000001", "203.0.113.7"
pytestmark = pytest.mark.django_db


def send(phone: str = PHONE) -> None:
    codes.send(phone, ip=IP, holder=codes.new_request())


def set_sent(count: int) -> None:
    """As if so many codes had been sent today."""
    subject, day = DailyCount.hashed(""), timezone.now().date()
    DailyCount.objects.update_or_create(
        day=day, what=limits.SENT_BY_ALL, subject=subject, defaults={"count": count}
    )


def test_nobody_gets_a_code_past_the_days_budget() -> None:
    set_sent(LOGINS.current().codes_per_day - 1)
    send()
    with pytest.raises(Problem) as refused:
        send("+8613800000002")
    assert (refused.value.status, refused.value.code) == (429, "too_many_requests")
    assert len(sms_recorder.messages) == 1


def test_managers_get_an_e_mail_at_eighty_percent_and_one_at_the_end(settings: Settings) -> None:
    settings.ADMINS, settings.SITE_NAME = [("", "ops@savor.example")], "Osaka Life"
    posted = []
    for count in (39_999, 40_000, 45_000, 50_000, 50_000):
        set_sent(count)
        assert budget.check() == count
        posted.append(Message.objects.count())
    assert posted == [0, 1, 1, 2, 2]
    message = Message.objects.earliest("pk")
    assert (message.to, message.subject) == (
        "ops@savor.example",
        "Osaka Life: the day's log-in codes run out",
    )
    assert message.text.startswith("40000 log-in codes were sent today (UTC), and the day's budget is 50000.")


def test_the_budget_is_that_of_a_day(settings: Settings) -> None:
    settings.ADMINS = [("", "ops@savor.example")]
    assert budget.check() == 0
    set_sent(50_000)
    DailyCount.objects.update(day=timezone.now().date().replace(year=2020))
    assert budget.check() == 0
    assert not Message.objects.exists()


@pytest.mark.parametrize(
    ("countries", "phone", "is_served"),
    [
        ("", "+447911123456", True),
        ("CN HK", PHONE, True),
        ("CN HK", "+85251234567", True),
        ("CN HK", "+447911123456", False),
        ("US", "+14165550123", False),
    ],
)
def test_a_site_sends_codes_to_its_countries_alone(
    settings: Settings, countries: str, phone: str, is_served: bool
) -> None:
    settings.SMS_COUNTRIES = frozenset(countries.split())
    if is_served:
        send(phone)
    else:
        with pytest.raises(Problem) as refused:
            send(phone)
        assert (refused.value.status, refused.value.code) == (422, "bad_phone")
        assert not DailyCount.objects.exists()
    assert len(sms_recorder.messages) == is_served
