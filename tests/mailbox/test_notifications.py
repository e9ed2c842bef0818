"""What a notification says, whom it folds together, and who isn't told."""

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.mailbox import copies, notifications
from apps.mailbox.models import MAX_TEXT_LENGTH, Notification, Preferences
from apps.mailbox.notices import Delivery, Kind, Notice
from apps.outbox.models import Message
from tests.factories import UserFactory
from tests.races import Race

pytestmark = pytest.mark.django_db(transaction=True)
NOTE = 7


def like(recipient: User, actor: User, note_id: int = NOTE) -> None:
    with transaction.atomic():
        notifications.notify(
            Notice(recipient.pk, Kind.LIKE, actor_id=actor.pk, target_kind="note", target_id=note_id)
        )


def unlike(recipient: User, actor: User, note_id: int = NOTE) -> None:
    with transaction.atomic():
        notifications.take_back(
            Notice(recipient.pk, Kind.LIKE, actor_id=actor.pk, target_kind="note", target_id=note_id)
        )


def rows() -> list[tuple[int, str]]:
    return list(Notification.objects.order_by("pk").values_list("actor_count", "recent_actors"))


def test_likes_of_one_note_are_one_notification(alice: User, bob: User, charlie: User) -> None:
    like(alice, bob)
    like(alice, charlie)
    like(alice, charlie)
    like(alice, charlie, note_id=8)
    assert rows() == [(2, f"{charlie.pk},{bob.pk}"), (1, f"{charlie.pk}")]
    assert copies.count_unread(alice.pk) == 2


def test_a_like_taken_back_takes_its_share(alice: User, bob: User, charlie: User) -> None:
    like(alice, bob)
    like(alice, charlie)
    unlike(alice, charlie)
    unlike(alice, charlie)
    assert rows() == [(1, f"{bob.pk}")]
    unlike(alice, bob)
    assert rows() == []
    assert copies.count_unread(alice.pk) == 0


def test_a_like_taken_back_leaves_what_was_read_read(alice: User, bob: User, charlie: User) -> None:
    like(alice, bob)
    Notification.objects.update(read_to=Notification.objects.get().latest_at)
    like(alice, charlie)
    assert Notification.objects.unread().count() == 1
    unlike(alice, charlie)
    assert Notification.objects.unread().count() == 0


def test_nobody_is_told_of_themselves_or_by_somebody_blocked(alice: User, bob: User) -> None:
    like(alice, alice)
    blocks.block(bob.pk, alice.pk)
    like(alice, bob)
    like(bob, alice)
    assert rows() == []


def test_a_block_takes_away_what_the_two_told_each_other(alice: User, bob: User, charlie: User) -> None:
    for note_id, fan in ((7, bob), (7, charlie), (8, bob)):
        like(alice, fan, note_id=note_id)
    like(bob, alice)
    like(bob, charlie, note_id=9)
    assert copies.count_unread(alice.pk) == 2
    blocks.block(alice.pk, bob.pk)
    assert rows() == [(1, f"{charlie.pk}"), (1, f"{charlie.pk}")]
    assert (copies.count_unread(alice.pk), copies.count_unread(bob.pk)) == (1, 1)


def test_one_person_tells_many_in_as_many_queries_as_two(
    alice: User, bob: User, charlie: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    fans = UserFactory.bulk_create(30)
    blocks.block(fans[0].pk, alice.pk)
    Preferences.objects.choose(fans[1].pk, {"chat": "off"})

    def invite(actor: User, people: list[User]) -> None:
        notifications.notify(
            *(
                Notice(person.pk, Kind.CHAT, actor_id=actor.pk, target_kind="chat", target_id=5)
                for person in [actor, *people]
            )
        )

    for count in (4, 30):
        with transaction.atomic(), django_assert_num_queries(7):
            invite(alice, fans[:count])
    told = Notification.objects.filter(kind="chat").values_list("recipient", "recent_actors", "actor_count")
    assert sorted(told) == [(fan.pk, f"{alice.pk}", 1) for fan in fans[2:]]
    with transaction.atomic():
        invite(bob, fans[5:6])
    again = Notification.objects.get(recipient=fans[5])
    assert (again.actor_count, again.recent_actors) == (2, f"{bob.pk}")


@pytest.mark.both_databases
def test_nobody_is_told_what_they_switched_off(alice: User, bob: User) -> None:
    Preferences.objects.choose(alice.pk, {"like": "off"})
    like(alice, bob)
    assert rows() == []
    assert Preferences.objects.of_people([alice.pk])[alice.pk].delivery(Kind.COMMENT) == Delivery.SITE


def test_somebody_who_is_gone_is_told_nothing(bob: User) -> None:
    with transaction.atomic():
        notifications.notify(Notice(404_404, Kind.FOLLOW, actor_id=bob.pk))
    assert rows() == []


@pytest.mark.both_databases
def test_a_transaction_that_fails_tells_nothing(alice: User, bob: User) -> None:
    with transaction.atomic():
        notifications.notify(Notice(alice.pk, Kind.FOLLOW, actor_id=bob.pk))
        transaction.set_rollback(True)
    assert copies.count_unread(alice.pk) == 0


@pytest.mark.both_databases
def test_long_texts_are_cut_and_a_state_is_renewed(alice: User) -> None:
    for text in ("paid", "used\x00" + "x" * 999):
        with transaction.atomic():
            notifications.notify(
                Notice(alice.pk, Kind.REPLY, target_kind="order", target_id=2**62, text=text)
            )
    found = Notification.objects.get()
    assert (len(found.text), found.text[:5], found.actor_count) == (MAX_TEXT_LENGTH - 1, "usedx", 0)


@pytest.mark.both_databases
def test_fifty_likes_at_once_are_one_notification_of_fifty(alice: User, race: Race) -> None:
    fans = UserFactory.bulk_create(50)
    answers = race(50, lambda number: like(alice, fans[number]))
    assert answers == [None] * 50
    (found,) = rows()
    assert found[0] == 50
    assert copies.count_unread(alice.pk) == 1


@pytest.mark.both_databases
def test_likes_and_their_end_at_once_leave_the_likes_that_stay(alice: User, race: Race) -> None:
    fans = UserFactory.bulk_create(20)
    for fan in fans[:10]:
        like(alice, fan)
    race(20, lambda number: (unlike if number < 10 else like)(alice, fans[number]))
    found = Notification.objects.get()
    assert found.actor_count == found.actor_rows.count() == 10
    assert set(found.recent_actors.split(",")) <= {str(fan.pk) for fan in fans[10:]}


def test_who_wants_a_text_message_gets_one_until_it_is_read(alice: User, bob: User, charlie: User) -> None:
    Preferences.objects.choose(alice.pk, {"like": "sms"})
    like(alice, bob)
    like(alice, charlie)
    message = Message.objects.get()
    assert (message.to, "Likes" in message.text, "/notifications/" in message.text) == (
        alice.phone,
        True,
        True,
    )
