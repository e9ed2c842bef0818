"""Who asked is told once for each beginning, whatever job or worker is lost; nobody else is."""

from datetime import timedelta

import factory
import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import tasks
from apps.coupons.catalog import reminders, sales
from apps.coupons.models import FlashSale, Reminder
from apps.coupons.terms import Terms
from apps.outbox.models import Channel, Message
from apps.queues import delayed, keys
from apps.redis_kit import client
from apps.web.problems import Problem
from tests.coupons.conftest import MakeSale
from tests.factories import ReminderFactory, UserFactory
from tests.mailbox.makers import unread_kinds
from tests.races import race
from tests.rounds import choose_rounds

pytestmark = pytest.mark.django_db(transaction=True)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def upcoming_sale(make_sale: MakeSale) -> FlashSale:
    """A sale that begins in an hour; its job is there."""
    sale = make_sale(begins_in=3_600)
    reminders.schedule(sale)
    return sale


def add_reminders(sale: FlashSale, *users: User) -> None:
    for user in users:
        reminders.add(sale.pk, user.pk)


def sent_messages() -> list[str]:
    """The phones to which messages go, as often as they do."""
    return sorted(Message.objects.values_list("to", flat=True))


def travel_to(sale: FlashSale, before: timedelta) -> time_machine.travel:
    """So long before the sale begins."""
    sale.refresh_from_db()
    return time_machine.travel(sale.begins_at - before, tick=True)


def move_sale(sale: FlashSale, by: timedelta) -> None:
    sale.refresh_from_db()
    terms = Terms(sale.stock_total, sale.begins_at + by, sale.ends_at + by)
    sales.change(sale.pk, terms)


def test_who_asked_is_told_and_nobody_else(
    upcoming_sale: FlashSale, alice: User, bob: User, charlie: User
) -> None:
    add_reminders(upcoming_sale, alice, bob)
    reminders.remove(upcoming_sale.pk, bob.pk)
    with travel_to(upcoming_sale, 5 * MINUTE):
        assert tasks.tell_of_sale(upcoming_sale.pk) == 1
    message = Message.objects.get()
    assert (message.to, message.channel) == (alice.phone, Channel.SMS)
    begins = timezone.localtime(upcoming_sale.begins_at)
    assert f"is on sale from {begins:%H:%M}." in message.text
    assert message.text.endswith(f"/vouchers/{upcoming_sale.pk}/")
    assert unread_kinds(alice) == ["sale"]
    assert unread_kinds(bob) == []


def test_its_job_waits_for_five_minutes_before(upcoming_sale: FlashSale) -> None:
    job = delayed.find_job(f"sale:remind:{upcoming_sale.pk}")
    assert job
    assert (job.task, job.args) == (tasks.tell_of_sale.name, [upcoming_sale.pk])
    assert abs(job.at - (upcoming_sale.begins_at - 5 * MINUTE)) < timedelta(milliseconds=1)


def test_a_sale_that_is_made_has_its_job(upcoming_sale: FlashSale) -> None:
    voucher = upcoming_sale.voucher
    voucher.pk, voucher._state.adding = None, True
    begins = timezone.now() + timedelta(hours=2)
    made = sales.create(voucher, Terms(5, begins, begins + timedelta(hours=1)))
    job = delayed.find_job(f"sale:remind:{made.pk}")
    assert job
    assert abs(job.at - (begins - 5 * MINUTE)) < timedelta(milliseconds=1)


def test_nobody_is_told_too_soon_or_once_it_has_begun(upcoming_sale: FlashSale, alice: User) -> None:
    add_reminders(upcoming_sale, alice)
    for before in (timedelta(hours=1), 6 * MINUTE, timedelta(0), -MINUTE):
        with travel_to(upcoming_sale, before):
            assert (
                reminders.deliver_for_sale(upcoming_sale.pk),
                reminders.deliver_missed(),
            ) == (
                0,
                0,
            )
    assert sent_messages() == []


@pytest.mark.both_databases
def test_nobody_is_told_twice(upcoming_sale: FlashSale, alice: User, bob: User) -> None:
    add_reminders(upcoming_sale, alice)
    with travel_to(upcoming_sale, 5 * MINUTE):
        assert reminders.deliver_for_sale(upcoming_sale.pk) == 1
        assert (reminders.deliver_for_sale(upcoming_sale.pk), reminders.deliver_missed()) == (
            0,
            0,
        )
        # Who takes it back now can't ask again.
        reminders.remove(upcoming_sale.pk, alice.pk)
        with pytest.raises(Problem, match="too_late"):
            reminders.add(upcoming_sale.pk, alice.pk)
    assert sent_messages() == [alice.phone]


@pytest.mark.wide
def test_tellers_at_the_same_moment_tell_each_once(make_sale: MakeSale, alice: User) -> None:
    people = UserFactory.bulk_create(1_200)
    sale = make_sale(begins_in=240)
    ReminderFactory.bulk_create(len(people), sale=sale, user=factory.Iterator(people))
    answers = race(
        6,
        lambda place: reminders.deliver_missed() if place % 2 else reminders.deliver_for_sale(sale.pk),
    )
    assert sum(answer for answer in answers if isinstance(answer, int)) == 1_200
    assert sent_messages() == sorted(user.phone for user in people)


def test_a_lost_job_is_caught_by_the_sweep(upcoming_sale: FlashSale, alice: User) -> None:
    add_reminders(upcoming_sale, alice)
    client.get(delayed.BROKER_CONNECTION).delete(keys.DELAYED_DUE(), keys.DELAYED_JOBS())
    with travel_to(upcoming_sale, 4 * MINUTE):
        assert tasks.tell_of_missed_sales() == 1
    assert sent_messages() == [alice.phone]


def test_a_sale_that_is_moved_takes_its_job_along(upcoming_sale: FlashSale, alice: User) -> None:
    add_reminders(upcoming_sale, alice)
    move_sale(upcoming_sale, timedelta(hours=1))
    upcoming_sale.refresh_from_db()
    job = delayed.find_job(f"sale:remind:{upcoming_sale.pk}")
    assert job
    assert abs(job.at - (upcoming_sale.begins_at - 5 * MINUTE)) < timedelta(milliseconds=1)
    with travel_to(upcoming_sale, timedelta(minutes=65)):
        assert reminders.deliver_for_sale(upcoming_sale.pk) == 0
    with travel_to(upcoming_sale, 5 * MINUTE):
        assert reminders.deliver_for_sale(upcoming_sale.pk) == 1


@pytest.mark.both_databases
def test_a_sale_that_is_moved_after_the_message_is_told_of_once_more(
    upcoming_sale: FlashSale, alice: User
) -> None:
    add_reminders(upcoming_sale, alice)
    with travel_to(upcoming_sale, 5 * MINUTE):
        assert reminders.deliver_for_sale(upcoming_sale.pk) == 1
        move_sale(upcoming_sale, timedelta(hours=1))
        assert reminders.deliver_for_sale(upcoming_sale.pk) == 0
    with travel_to(upcoming_sale, 3 * MINUTE):
        assert reminders.deliver_missed() == 1
        assert reminders.deliver_missed() == 0
    assert sent_messages() == [alice.phone, alice.phone]


def test_a_sale_that_is_moved_back_again_tells_nobody_twice(
    upcoming_sale: FlashSale, alice: User, bob: User
) -> None:
    """Told for one beginning, asked anew for another, told for neither again."""
    add_reminders(upcoming_sale, alice, bob)
    with travel_to(upcoming_sale, 5 * MINUTE):
        assert reminders.deliver_for_sale(upcoming_sale.pk) == 2
        move_sale(upcoming_sale, timedelta(hours=1))
        reminders.remove(upcoming_sale.pk, alice.pk)
        add_reminders(upcoming_sale, alice)
        move_sale(upcoming_sale, timedelta(hours=-1))
        for _ in range(2):
            reminders.deliver_for_sale(upcoming_sale.pk)
            reminders.deliver_missed()
    assert sent_messages() == sorted([alice.phone, bob.phone])
    assert unread_kinds(alice) == unread_kinds(bob) == ["sale"]
    upcoming_sale.refresh_from_db()
    assert set(Reminder.objects.values_list("told_for", flat=True)) == {upcoming_sale.begins_at}


@pytest.mark.wide
def test_tellers_of_a_sale_that_was_moved_back_meet_and_tell_nobody_twice(
    make_sale: MakeSale, alice: User
) -> None:
    sale = make_sale(begins_in=240)
    ReminderFactory.create(sale=sale, user=alice)
    assert reminders.deliver_for_sale(sale.pk) == 1
    for _ in range(choose_rounds(20, long=200)):
        # As if it had been moved away and back, with a fresh wish in between.
        Reminder.objects.all().delete()
        ReminderFactory.create(sale=sale, user=alice)
        answers = race(
            2,
            lambda place: reminders.deliver_missed() if place else reminders.deliver_for_sale(sale.pk),
        )
        assert sorted(map(str, answers)) == ["0", "1"]
    assert sent_messages() == [alice.phone]
    assert unread_kinds(alice) == ["sale"]


def test_a_sale_that_is_withdrawn_tells_nobody(upcoming_sale: FlashSale, alice: User) -> None:
    add_reminders(upcoming_sale, alice)
    sales.withdraw(upcoming_sale.voucher)
    with travel_to(upcoming_sale, 5 * MINUTE):
        assert (reminders.deliver_for_sale(upcoming_sale.pk), reminders.deliver_missed()) == (
            0,
            0,
        )
        sales.offer_again(upcoming_sale.voucher)
        assert reminders.deliver_missed() == 1
    assert sent_messages() == [alice.phone]


@pytest.mark.both_databases
def test_a_message_and_its_mark_are_one(upcoming_sale: FlashSale, alice: User) -> None:
    """A teller that dies before its commit has told nobody; the next one does."""
    add_reminders(upcoming_sale, alice)
    with travel_to(upcoming_sale, 5 * MINUTE):
        with transaction.atomic():
            assert reminders.deliver_for_sale(upcoming_sale.pk) == 1
            transaction.set_rollback(True)
        assert (
            sent_messages(),
            Reminder.objects.get().told_for,
            unread_kinds(alice),
        ) == ([], None, [])
        assert reminders.deliver_for_sale(upcoming_sale.pk) == 1
    assert sent_messages() == [alice.phone]
    assert Reminder.objects.get().told_for == upcoming_sale.begins_at


def test_people_who_left_get_no_message(upcoming_sale: FlashSale, alice: User, bob: User) -> None:
    add_reminders(upcoming_sale, alice, bob)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    with travel_to(upcoming_sale, 5 * MINUTE):
        reminders.deliver_for_sale(upcoming_sale.pk)
        assert reminders.deliver_missed() == 0
    assert sent_messages() == [alice.phone]
