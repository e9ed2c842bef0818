"""Who asked is told once for each beginning, whatever job or worker is lost; nobody else is."""

from datetime import timedelta

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from apps.accounts import news
from apps.accounts.models import User
from apps.coupons import reminders, reminders_told, sales, tasks
from apps.coupons.models import FlashSale, Reminder
from apps.coupons.sales import Terms
from apps.outbox.models import Channel, Message
from apps.problems import Problem
from apps.redis_kit import client, delayed, keys
from tests.coupons.conftest import MakeSale
from tests.races import race

pytestmark = pytest.mark.django_db(transaction=True)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def coming(make_sale: MakeSale) -> FlashSale:
    """A sale that begins in an hour; its job is there."""
    sale = make_sale(begins_in=3_600)
    reminders_told.schedule(sale)
    return sale


def ask(sale: FlashSale, *users: User) -> None:
    for user in users:
        reminders.want(sale.pk, user.pk)


def told() -> list[str]:
    """The phones to which messages go, as often as they do."""
    return sorted(Message.objects.values_list("to", flat=True))


def at(sale: FlashSale, before: timedelta) -> time_machine.travel:
    """So long before the sale begins."""
    sale.refresh_from_db()
    return time_machine.travel(sale.begins_at - before, tick=True)


def moved(sale: FlashSale, by: timedelta) -> None:
    sale.refresh_from_db()
    terms = Terms(sale.stock_total, sale.begins_at + by, sale.ends_at + by)
    sales.change(sale.pk, terms)


def test_who_asked_is_told_and_nobody_else(coming: FlashSale, alice: User, bob: User, charlie: User) -> None:
    ask(coming, alice, bob)
    reminders.unwant(coming.pk, bob.pk)
    with at(coming, 5 * MINUTE):
        assert tasks.tell_of_sale(coming.pk) == 1
    message = Message.objects.get()
    assert (message.to, message.channel) == (alice.phone, Channel.SMS)
    begins = timezone.localtime(coming.begins_at)
    assert f"is on sale from {begins:%H:%M}." in message.text
    assert message.text.endswith(f"/vouchers/{coming.pk}/")
    assert news.unread(alice.pk) == {news.Kind.SALE: 1}
    assert news.unread(bob.pk) == {}


def test_its_job_waits_for_five_minutes_before(coming: FlashSale) -> None:
    job = delayed.inspect(f"sale:remind:{coming.pk}")
    assert job
    assert (job.task, job.args) == (tasks.tell_of_sale.name, [coming.pk])
    assert abs(job.at - (coming.begins_at - 5 * MINUTE)) < timedelta(milliseconds=1)


def test_a_sale_that_is_made_has_its_job(coming: FlashSale) -> None:
    voucher = coming.voucher
    voucher.pk, voucher._state.adding = None, True
    begins = timezone.now() + timedelta(hours=2)
    made = sales.create(voucher, Terms(5, begins, begins + timedelta(hours=1)))
    job = delayed.inspect(f"sale:remind:{made.pk}")
    assert job
    assert abs(job.at - (begins - 5 * MINUTE)) < timedelta(milliseconds=1)


def test_nobody_is_told_too_soon_or_once_it_has_begun(coming: FlashSale, alice: User) -> None:
    ask(coming, alice)
    for before in (timedelta(hours=1), 6 * MINUTE, timedelta(0), -MINUTE):
        with at(coming, before):
            assert (reminders_told.tell(coming.pk), reminders_told.tell_missed()) == (0, 0)
    assert told() == []


def test_nobody_is_told_twice(coming: FlashSale, alice: User, bob: User) -> None:
    ask(coming, alice)
    with at(coming, 5 * MINUTE):
        assert reminders_told.tell(coming.pk) == 1
        assert (reminders_told.tell(coming.pk), reminders_told.tell_missed()) == (0, 0)
        # Who takes it back now can't ask again.
        reminders.unwant(coming.pk, alice.pk)
        with pytest.raises(Problem, match="too_late"):
            reminders.want(coming.pk, alice.pk)
    assert told() == [alice.phone]


def test_tellers_at_the_same_moment_tell_each_once(make_sale: MakeSale, alice: User) -> None:
    people = User.objects.bulk_create([User(phone=f"+86139{number:08}") for number in range(1_200)])
    sale = make_sale(begins_in=240)
    Reminder.objects.bulk_create([Reminder(sale=sale, user=user) for user in people])
    answers = race(
        6, lambda place: reminders_told.tell_missed() if place % 2 else reminders_told.tell(sale.pk)
    )
    assert sum(answer for answer in answers if isinstance(answer, int)) == 1_200
    assert told() == sorted(user.phone for user in people)


def test_a_lost_job_is_caught_by_the_sweep(coming: FlashSale, alice: User) -> None:
    ask(coming, alice)
    client.get(delayed.BROKER).delete(keys.DELAYED_DUE(), keys.DELAYED_JOBS())
    with at(coming, 4 * MINUTE):
        assert tasks.tell_of_missed_sales() == 1
    assert told() == [alice.phone]


def test_a_sale_that_is_moved_takes_its_job_along(coming: FlashSale, alice: User) -> None:
    ask(coming, alice)
    moved(coming, timedelta(hours=1))
    coming.refresh_from_db()
    job = delayed.inspect(f"sale:remind:{coming.pk}")
    assert job
    assert abs(job.at - (coming.begins_at - 5 * MINUTE)) < timedelta(milliseconds=1)
    with at(coming, timedelta(minutes=65)):
        assert reminders_told.tell(coming.pk) == 0
    with at(coming, 5 * MINUTE):
        assert reminders_told.tell(coming.pk) == 1


def test_a_sale_that_is_moved_after_the_message_is_told_of_once_more(coming: FlashSale, alice: User) -> None:
    ask(coming, alice)
    with at(coming, 5 * MINUTE):
        assert reminders_told.tell(coming.pk) == 1
        moved(coming, timedelta(hours=1))
        assert reminders_told.tell(coming.pk) == 0
    with at(coming, 3 * MINUTE):
        assert reminders_told.tell_missed() == 1
        assert reminders_told.tell_missed() == 0
    assert told() == [alice.phone, alice.phone]


def test_a_sale_that_is_moved_back_again_tells_nobody_twice(
    coming: FlashSale, alice: User, bob: User
) -> None:
    """Told for one beginning, asked anew for another, told for neither again."""
    ask(coming, alice, bob)
    with at(coming, 5 * MINUTE):
        assert reminders_told.tell(coming.pk) == 2
        moved(coming, timedelta(hours=1))
        reminders.unwant(coming.pk, alice.pk)
        ask(coming, alice)
        moved(coming, timedelta(hours=-1))
        for _ in range(2):
            reminders_told.tell(coming.pk)
            reminders_told.tell_missed()
    assert told() == sorted([alice.phone, bob.phone])
    assert news.unread(alice.pk) == news.unread(bob.pk) == {news.Kind.SALE: 1}
    coming.refresh_from_db()
    assert set(Reminder.objects.values_list("told_for", flat=True)) == {coming.begins_at}


def test_tellers_of_a_sale_that_was_moved_back_meet_and_tell_nobody_twice(
    make_sale: MakeSale, alice: User
) -> None:
    sale = make_sale(begins_in=240)
    Reminder.objects.create(sale=sale, user=alice)
    assert reminders_told.tell(sale.pk) == 1
    for _ in range(200):
        # As if it had been moved away and back, with a fresh wish in between.
        Reminder.objects.all().delete()
        Reminder.objects.create(sale=sale, user=alice)
        answers = race(
            2, lambda place: reminders_told.tell_missed() if place else reminders_told.tell(sale.pk)
        )
        assert sorted(map(str, answers)) == ["0", "1"]
    assert told() == [alice.phone]
    assert news.unread(alice.pk) == {news.Kind.SALE: 1}


def test_a_sale_that_is_withdrawn_tells_nobody(coming: FlashSale, alice: User) -> None:
    ask(coming, alice)
    sales.withdraw(coming.voucher)
    with at(coming, 5 * MINUTE):
        assert (reminders_told.tell(coming.pk), reminders_told.tell_missed()) == (0, 0)
        sales.offer_again(coming.voucher)
        assert reminders_told.tell_missed() == 1
    assert told() == [alice.phone]


def test_a_message_and_its_mark_are_one(coming: FlashSale, alice: User) -> None:
    """A teller that dies before its commit has told nobody; the next one does."""
    ask(coming, alice)
    with at(coming, 5 * MINUTE):
        with transaction.atomic():
            assert reminders_told.tell(coming.pk) == 1
            transaction.set_rollback(True)
        assert (told(), Reminder.objects.get().told_for, news.unread(alice.pk)) == ([], None, {})
        assert reminders_told.tell(coming.pk) == 1
    assert told() == [alice.phone]
    assert Reminder.objects.get().told_for == coming.begins_at


def test_people_who_left_get_no_message(coming: FlashSale, alice: User, bob: User) -> None:
    ask(coming, alice, bob)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    with at(coming, 5 * MINUTE):
        reminders_told.tell(coming.pk)
        assert reminders_told.tell_missed() == 0
    assert told() == [alice.phone]
