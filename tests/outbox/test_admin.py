"""The outbox in the admin: who may look and who may send again."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from apps.accounts.models import User
from apps.outbox import outbox, sending
from apps.outbox.models import Channel, Message, State
from tests.outbox import fake_senders

CONFIRMED = {"_form_submitted": "True"}
LIST = "/admin/outbox/message/"
pytestmark = pytest.mark.django_db(transaction=True)


def failed(key: str = "k") -> Message:
    """A message that the provider refused."""
    fake_senders.pending_errors.append(fake_senders.permanently_refused())
    outbox.post(channel=Channel.SMS, to="+8613800000001", text=f"text of {key}", key=key)
    sending.send([key])
    return Message.objects.get(key=key)


@pytest.fixture
def clerk(client: Client, bob: User) -> Client:
    """Staff who may look at the outbox."""
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    may_look = Permission.objects.get(codename="view_message", content_type__app_label="outbox")
    bob.user_permissions.add(may_look)
    client.force_login(bob)
    return client


@pytest.mark.both_databases
def test_a_failed_message_says_why_and_goes_again_once(boss: Client) -> None:
    one = failed()
    assert "no such number" in boss.get(f"{LIST}{one.pk}/change/").content.decode()
    url = f"{LIST}{one.pk}/send-again/"
    assert b"Send this message again?" in boss.get(url).content
    boss.post(url, CONFIRMED)
    one.refresh_from_db()
    assert one.state == State.WAITING
    assert sending.send([one.key]) == 1
    assert boss.post(url, CONFIRMED).status_code == 403


@pytest.mark.both_databases
def test_only_failed_ones_of_the_chosen_go_again(boss: Client) -> None:
    one, other = failed("a"), failed("b")
    outbox.post(channel=Channel.SMS, to="+8613800000001", text="x", key="sent")
    sending.send(["sent"])
    everything = [str(message.pk) for message in Message.objects.all()]
    answer = boss.post(LIST, {"action": "send_chosen", "_selected_action": everything}, follow=True)
    assert "2 messages are on their way again." in answer.content.decode()
    assert {message.key for message in Message.objects.waiting()} == {one.key, other.key}


@pytest.mark.both_databases
def test_looking_is_not_sending(clerk: Client) -> None:
    one = failed()
    assert clerk.get(f"{LIST}{one.pk}/change/").status_code == 200
    assert clerk.post(f"{LIST}{one.pk}/send-again/", CONFIRMED).status_code == 403
    clerk.post(LIST, {"action": "send_chosen", "_selected_action": [one.pk]}, follow=True)
    one.refresh_from_db()
    assert one.state == State.FAILED


@pytest.mark.both_databases
def test_the_list_filters_and_finds(boss: Client) -> None:
    one, other = failed("a"), failed("b")
    Message.objects.filter(pk=other.pk).update(state=State.WAITING)
    page = boss.get(f"{LIST}?state__exact=failed").content.decode()
    assert f"/{one.pk}/change/" in page
    assert f"/{other.pk}/change/" not in page
    assert f"/{other.pk}/change/" in boss.get(f"{LIST}?q=text+of+b").content.decode()


def test_nobody_writes_messages_here(boss: Client) -> None:
    assert boss.get(f"{LIST}add/").status_code == 403
    assert boss.post(f"{LIST}{failed().pk}/delete/", {"post": "yes"}).status_code == 403
