"""Reconciliation finds and repairs counts that differ from SQL's rows."""

import pytest

from apps.accounts.models import User
from apps.mailbox import copies, notifications
from apps.mailbox.models import Notification
from apps.mailbox.notices import Kind, Notice
from tests.differences import find_differences
from tests.factories import NotificationFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


def test_an_outdated_count_and_a_wrong_number_of_actors_are_repaired(alice: User, bob: User) -> None:
    notifications.notify(Notice(alice.pk, Kind.FOLLOW, actor_id=bob.pk))
    assert copies.count_unread(alice.pk) == 1
    assert find_differences("mailbox") == []
    Notification.objects.update(actor_count=7, kind=Kind.LIKE)
    NotificationFactory.create(recipient=alice)
    found = [(one.aspect, one.actual, one.expected) for one in find_differences("mailbox", fix=True)]
    assert found == [("actors", "7", "1"), ("unread", "1", "2")]
    assert find_differences("mailbox") == []
    assert copies.count_unread(alice.pk) == 2
