import contextlib
from datetime import timedelta

import pytest
import redis
from django.utils import timezone

from apps.accounts import codes, limits
from apps.accounts.models import DailyCount
from apps.web.problems import Problem
from tests.races import Race

PHONE = "+8613800000001"
IP, HOLDER = "203.0.113.7", codes.new_request()
pytestmark = pytest.mark.django_db


def sends_until_refused(phone: str = PHONE) -> tuple[int, Problem]:
    for sent in range(10_000):
        try:
            limits.charge_send(phone, ip=IP)
        except Problem as refused:
            return sent, refused
    raise AssertionError("never refused")


def test_a_phone_gets_five_codes_in_ten_minutes_from_one_place() -> None:
    sent, refused = sends_until_refused()
    assert sent == limits.SEND_BY_PHONE_AND_SITE.allowed == 5
    assert (refused.status, refused.code) == (429, "too_many_requests")
    assert refused.retry_after
    assert 0 < refused.retry_after <= 600


def test_another_phone_is_not_held_back() -> None:
    sends_until_refused()
    sent, _refused = sends_until_refused("+8613800000002")
    assert sent == limits.SEND_BY_PHONE_AND_SITE.allowed


def test_who_has_codes_sent_to_a_phone_does_not_keep_its_owner_from_asking() -> None:
    sends_until_refused()
    for _ in range(limits.SEND_BY_PHONE.allowed - limits.SEND_BY_PHONE_AND_SITE.allowed):
        limits.charge_send(PHONE, ip="198.51.100.1")
    with pytest.raises(Problem):
        limits.charge_send(PHONE, ip="192.0.2.1")
    assert limits.MAX_SENDS_PER_DAY["phone-site"] < limits.MAX_SENDS_PER_DAY["phone"]


@pytest.mark.parametrize("network", ["203.0.113.{}", "2001:db8:5:{:x}::1"])
def test_one_network_can_t_write_to_a_hundred_phones_in_ten_minutes(network: str) -> None:
    written = 0
    for number in range(100):
        with contextlib.suppress(Problem):
            limits.charge_send(f"+86138{number:08}", ip=network.format(number + 1))
            written += 1
    assert 60 <= written == limits.SEND_BY_NEIGHBOURHOOD.allowed < 100
    limits.charge_send("+8613900000000", ip="198.51.100.1")


def test_one_address_can_t_write_to_the_whole_city() -> None:
    for number in range(limits.SEND_BY_SITE.allowed):
        limits.charge_send(f"+86138{number:08}", ip=IP)
    with pytest.raises(Problem):
        limits.charge_send("+8613900000000", ip=IP)
    limits.charge_send("+8613900000000", ip="198.51.100.1")


def test_one_ipv6_household_counts_as_one() -> None:
    for number in range(limits.CHECK_BY_SITE.allowed):
        limits.charge_check(ip=f"2001:db8::{number + 1:x}")
    with pytest.raises(Problem):
        limits.charge_check(ip="2001:db8::ffff")


def test_checks_of_one_phone_without_a_request_are_limited_across_addresses() -> None:
    for number in range(limits.CHECK_WITHOUT_REQUEST.allowed):
        limits.charge_check(ip=f"203.0.{number}.1", phone_without_request=PHONE)
    with pytest.raises(Problem):
        limits.charge_check(ip="198.51.100.1", phone_without_request=PHONE)


def test_parallel_sends_don_t_slip_past_the_limit(race: Race, transactional_db: None) -> None:
    answers = race(20, lambda _number: limits.charge_send(PHONE, ip=IP))
    assert answers.count(None) == limits.SEND_BY_PHONE_AND_SITE.allowed


def test_a_flushed_redis_does_not_reset_the_day(guarded_redis: redis.Redis) -> None:
    total = 0
    for _ in range(10):
        sent, _refused = sends_until_refused()
        total += sent
        guarded_redis.flushall()
    assert total == limits.MAX_SENDS_PER_DAY["phone-site"]


def test_a_flushed_redis_voids_the_codes(guarded_redis: redis.Redis) -> None:
    code = codes.send(PHONE, ip=IP, holder=HOLDER)
    guarded_redis.flushall()
    with pytest.raises(Problem):
        codes.check(PHONE, code, ip=IP, holder=HOLDER)


def test_a_phone_takes_at_most_100_guesses_a_day() -> None:
    assert limits.MAX_SENDS_PER_DAY["phone"] * codes.MAX_CHECKS_PER_CODE <= 100
    assert limits.MAX_CHECKS_PER_DAY["phone"] <= 30


def test_a_refused_day_charges_nobody_and_ends_at_midnight(guarded_redis: redis.Redis) -> None:
    limits.charge_send(PHONE, ip=IP)
    DailyCount.objects.filter(what="send:phone").update(count=limits.MAX_SENDS_PER_DAY["phone"])
    with pytest.raises(Problem) as refused:
        limits.charge_send(PHONE, ip=IP)
    assert DailyCount.objects.get(what="send:all").count == 1
    assert refused.value.retry_after
    assert timedelta(seconds=refused.value.retry_after) <= timedelta(days=1)
    DailyCount.objects.update(day=timezone.now().date() - timedelta(days=1))
    limits.charge_send(PHONE, ip=IP)


def test_no_phone_is_kept_of_people_who_never_came_in() -> None:
    limits.charge_send(PHONE, ip=IP)
    kept = str(list(DailyCount.objects.values_list()))
    assert "13800000001" not in kept
    assert IP not in kept


def try_code(ip: str) -> str:
    with pytest.raises(Problem) as refused:
        codes.check(PHONE, "000000", ip=ip, holder=HOLDER)
    return refused.value.code


def test_guesses_without_a_code_shut_nobody_out(guarded_redis: redis.Redis) -> None:
    """Sixty addresses type numbers for a phone that has no code; its owner comes after them."""
    guesses = limits.MAX_CHECKS_PER_DAY["phone"] + limits.CHECK_WITHOUT_REQUEST.allowed
    assert {try_code(f"198.51.{number}.1") for number in range(guesses)} == {"wrong_code"}
    code = codes.send(PHONE, ip=IP, holder=HOLDER)
    codes.check(PHONE, code, ip=IP, holder=HOLDER)
    assert set(DailyCount.objects.filter(what="check:all").values_list("count", flat=True)) == {1}


def test_guesses_without_a_code_count_for_their_address() -> None:
    answers = [try_code(IP) for _ in range(limits.CHECK_BY_SITE.allowed + 1)]
    assert answers == ["wrong_code"] * limits.CHECK_BY_SITE.allowed + ["too_many_requests"]


def test_guesses_at_a_code_count_until_it_takes_no_more() -> None:
    codes.send(PHONE, ip=IP, holder=HOLDER)
    for number in range(codes.MAX_CHECKS_PER_CODE + 3):
        try_code(f"198.51.{number}.1")
    counted = DailyCount.objects.filter(what__in=["check:phone", "check:all"])
    assert dict(counted.values_list("what", "count")) == {"check:all": codes.MAX_CHECKS_PER_CODE}
