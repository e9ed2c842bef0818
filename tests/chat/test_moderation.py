"""What can be reported of a chat, and what staff may read of other people's chats."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.chat import messages, reportable
from apps.chat.models import Chat, ChatOpening, Message
from tests.coupons import buyers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def talked(chat_of_two: Chat, bob: User) -> Chat:
    """Bob wrote one message to Alice."""
    messages.post(bob.pk, chat_of_two.pk, "Buy cheap watches")
    return chat_of_two


def test_the_menu_of_a_message_leads_to_its_report(talked: Chat, alice: User) -> None:
    mine, message = buyers.browser_client(alice), Message.objects.get()
    assert mine.get(f"/chats/{talked.pk}/report/")["Location"] == f"/report/chat/{talked.pk}/"
    answer = mine.get(f"/chats/{talked.pk}/report/", {"number": "1"})
    assert answer["Location"] == f"/report/message/{message.pk}/"
    assert mine.get(f"/chats/{talked.pk}/report/", {"number": "9"}).status_code == 404


def test_a_hidden_message_is_gone_for_everybody(talked: Chat, alice: User) -> None:
    message = Message.objects.get()
    reportable.MessageKind().hide(message.pk)
    text = buyers.browser_client(alice).get(f"/chats/{talked.pk}/").text
    assert "This message was removed by the site." in text
    assert "watches" not in text
    reportable.MessageKind().restore(message.pk, {})
    assert "watches" in buyers.browser_client(alice).get(f"/chats/{talked.pk}/").text


def test_staff_reads_a_reported_message_between_its_neighbours(talked: Chat) -> None:
    assert "Buy cheap watches" in reportable.MessageKind().describe(Message.objects.get().pk)


@pytest.mark.both_databases
def test_a_chat_opens_to_staff_for_an_hour_with_a_reason(boss: Client, talked: Chat) -> None:
    url = f"/admin/chat/chat/{talked.pk}/change/"
    assert "watches" not in boss.get(url).text
    assert boss.post(url, {"reason": " "}).status_code == 422
    assert boss.post(url, {"reason": "Report 1"}).status_code == 302
    assert "watches" in boss.get(url).text
    assert ChatOpening.objects.get().reason == "Report 1"
    ChatOpening.objects.update(opened_at=timezone.now() - reportable.OPEN_PERIOD - timedelta(seconds=1))
    assert "watches" not in boss.get(url).text


@pytest.mark.both_databases
def test_lists_of_the_admin_show_no_message(boss: Client, talked: Chat) -> None:
    for path in ("chat", "chatopening"):
        assert boss.get(f"/admin/chat/{path}/").status_code == 200
    assert "watches" not in boss.get("/admin/chat/chat/").text
