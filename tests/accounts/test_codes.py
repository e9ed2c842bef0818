from datetime import timedelta

import pytest
import redis
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts import codes, limits
from apps.accounts.codes import CheckResult
from apps.accounts.live_settings import LOGINS
from apps.accounts.models import DailyCount
from apps.outbox.models import Message
from apps.web.problems import Problem
from tests.accounts import sms_recorder
from tests.races import Race

PHONE, OTHER = "+8613800000001", "+8613800000002"
IP, HOLDER = "203.0.113.7", codes.new_request()
pytestmark = pytest.mark.django_db


def wrong_for(code: str) -> str:
    return "000000" if code != "000000" else "111111"


def test_a_code_is_six_digits_and_reaches_its_phone() -> None:
    code = codes.send(PHONE, ip=IP, holder=HOLDER)
    assert sms_recorder.last_code(PHONE) == code
    assert len(code) == 6


def test_a_code_works_once_under_50_parallel_checks(race: Race) -> None:
    code = codes.send(PHONE, ip=IP, holder=HOLDER)
    answers = race(50, lambda _number: codes.compare_with_stored(PHONE, code, holder=HOLDER))
    assert answers.count(CheckResult.RIGHT) == 1
    assert answers.count(CheckResult.NO_CODE) == 49


def test_200_parallel_guesses_get_five_checks(race: Race) -> None:
    wrong = wrong_for(codes.send(PHONE, ip=IP, holder=HOLDER))
    answers = race(200, lambda _number: codes.compare_with_stored(PHONE, wrong, holder=HOLDER))
    assert answers.count(CheckResult.WRONG) == codes.MAX_CHECKS_PER_CODE
    assert answers.count(CheckResult.NO_CODE) == 195


def test_after_five_wrong_checks_the_right_code_is_refused() -> None:
    code = codes.send(PHONE, ip=IP, holder=HOLDER)
    for _ in range(codes.MAX_CHECKS_PER_CODE):
        assert codes.compare_with_stored(PHONE, wrong_for(code), holder=HOLDER) is CheckResult.WRONG
    assert codes.compare_with_stored(PHONE, code, holder=HOLDER) is CheckResult.NO_CODE


def test_the_fifth_check_may_still_be_right() -> None:
    code = codes.send(PHONE, ip=IP, holder=HOLDER)
    for _ in range(codes.MAX_CHECKS_PER_CODE - 1):
        codes.compare_with_stored(PHONE, wrong_for(code), holder=HOLDER)
    assert codes.compare_with_stored(PHONE, code, holder=HOLDER) is CheckResult.RIGHT


def test_a_new_code_replaces_the_old_one() -> None:
    old, new = codes.send(PHONE, ip=IP, holder=HOLDER), codes.send(PHONE, ip=IP, holder=HOLDER)
    assert old == new or codes.compare_with_stored(PHONE, old, holder=HOLDER) is CheckResult.WRONG
    assert codes.compare_with_stored(PHONE, new, holder=HOLDER) is CheckResult.RIGHT


def test_a_code_is_good_for_its_phone_only() -> None:
    code = codes.send(PHONE, ip=IP, holder=HOLDER)
    codes.send(OTHER, ip=IP, holder=HOLDER)
    assert codes.compare_with_stored("+8613800000003", code, holder=HOLDER) is CheckResult.NO_CODE
    assert codes.compare_with_stored(PHONE, code, holder=HOLDER) is CheckResult.RIGHT


def test_store_code_leaves_two_minutes(guarded_redis: redis.Redis) -> None:
    codes.send(PHONE, ip=IP, holder=HOLDER)
    (key,) = guarded_redis.scan_iter("savor:accounts:code:*")
    assert timedelta(minutes=1, seconds=59) < timedelta(milliseconds=guarded_redis.pttl(key))
    assert guarded_redis.pttl(key) <= 120_000


def test_check_code_leaves_the_expiry_as_it_was(guarded_redis: redis.Redis) -> None:
    code = codes.send(PHONE, ip=IP, holder=HOLDER)
    (key,) = guarded_redis.scan_iter("savor:accounts:code:*")
    guarded_redis.pexpire(key, 50_000)
    codes.compare_with_stored(PHONE, wrong_for(code), holder=HOLDER)
    assert 49_000 < guarded_redis.pttl(key) <= 50_000


def test_an_expired_code_is_refused(guarded_redis: redis.Redis) -> None:
    code = codes.send(PHONE, ip=IP, holder=HOLDER)
    (key,) = guarded_redis.scan_iter("savor:accounts:code:*")
    guarded_redis.pexpire(key, 1)
    while guarded_redis.exists(key):
        pass
    assert codes.compare_with_stored(PHONE, code, holder=HOLDER) is CheckResult.NO_CODE


def test_a_key_of_another_type_is_no_code(guarded_redis: redis.Redis) -> None:
    code = codes.send(PHONE, ip=IP, holder=HOLDER)
    (key,) = guarded_redis.scan_iter("savor:accounts:code:*")
    guarded_redis.set(key, "planted", ex=60)
    assert codes.compare_with_stored(PHONE, code, holder=HOLDER) is CheckResult.NO_CODE
    guarded_redis.delete(key)


@pytest.mark.parametrize(
    "typed", ["", "12345", "1234567", "²²²²²²", "12345\n", "1234 567", "\x00" * 6, "1e5000"]
)
def test_what_is_no_code_is_refused_like_a_wrong_one(typed: str) -> None:
    codes.send(PHONE, ip=IP, holder=HOLDER)
    with pytest.raises(Problem) as refused:
        codes.check(PHONE, typed, ip=IP, holder=HOLDER)
    assert (refused.value.status, refused.value.code) == (400, "wrong_code")


def test_a_sender_that_fails_is_a_503(settings: Settings) -> None:
    settings.SMS_SENDER = "apps.outbox.sms.ConsoleSender"
    with pytest.raises(Problem) as refused:
        codes.send(PHONE, ip=IP, holder=HOLDER)
    assert (refused.value.status, refused.value.code) == (503, "not_sent")


def test_without_redis_the_door_is_closed(redis_away: None) -> None:
    with pytest.raises(redis.ConnectionError):
        codes.send(PHONE, ip=IP, holder=HOLDER)
    with pytest.raises(redis.ConnectionError):
        codes.check(PHONE, "123456", ip=IP, holder=HOLDER)


@pytest.mark.parametrize(
    "typed", ["123456", "123 456", " 123-456\r\n", "\u202a123\u00a0456\u202c", "１２３４５６", "1 2 3 4 5 6"]
)
def test_a_code_is_read_as_it_was_pasted(typed: str) -> None:
    assert codes.parse_code(typed) == "123456"


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
        assert codes.check_budget() == count
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
    assert codes.check_budget() == 0
    set_sent(50_000)
    DailyCount.objects.update(day=timezone.now().date().replace(year=2020))
    assert codes.check_budget() == 0
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
