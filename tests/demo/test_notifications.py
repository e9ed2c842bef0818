"""The told account of the demo city has notifications, once."""

import pytest

from apps.accounts.models import User
from apps.blog import comments, likes
from apps.demo import logins
from apps.demo.messages import notifications
from apps.mailbox import copies
from apps.mailbox.models import Notification
from tests.blog import makers

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_customer_is_told_of_what_there_is_once(alice: User, bob: User) -> None:
    User.objects.filter(pk=alice.pk).update(phone=logins.CUSTOMER_PHONE)
    note = makers.note(alice)
    likes.like(note.pk, bob.pk)
    comments.add(note.pk, bob, "Is it loud?")
    Notification.objects.all().delete()
    assert [notifications.make(), notifications.make()] == [2, 0]
    kinds = sorted(Notification.objects.values_list("kind", flat=True))
    assert kinds == ["comment", "like", "site"]
    assert copies.heads_from_sql([alice.pk])[alice.pk].unread_rows == 3
