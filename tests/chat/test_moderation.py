"""Reports, and what staff may read of other people's chats."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.chat import messages
from apps.chat.models import Chat, ChatOpening, Message, Report
from apps.chat.moderation import openings, reports
from apps.web.problems import Problem
from tests.coupons import buyers

pytestmark = pytest.mark.django_db(transaction=True)
CONFIRMED = {"_form_submitted": "True"}


@pytest.fixture
def reported(pair: Chat, alice: User, bob: User) -> Report:
    messages.post(bob.pk, pair.pk, "Buy cheap watches")
    return reports.report(alice.pk, pair.pk, number=1, reason=Report.Reason.SPAM)


def test_a_page_reports_a_message_once_and_keeps_what_it_said(pair: Chat, alice: User, bob: User) -> None:
    messages.post(bob.pk, pair.pk, "Buy cheap watches")
    mine = buyers.browser_client(alice)
    assert "Buy cheap watches" in mine.get(f"/chats/{pair.pk}/report/", {"number": "1"}).text
    for _ in range(2):
        sent = mine.post(f"/chats/{pair.pk}/report/", {"number": "1", "reason": "spam", "text": "A robot"})
        assert sent.status_code == 302
    messages.delete(bob.pk, pair.pk, 1)
    assert Report.objects.get().excerpt == "Buy cheap watches"


@pytest.mark.parametrize(
    ("number", "reason", "status"), [("1", "", 422), ("1", "x", 422), ("9", "spam", 404)]
)
def test_a_report_needs_a_message_and_a_reason(
    pair: Chat, alice: User, bob: User, number: str, reason: str, status: int
) -> None:
    messages.post(bob.pk, pair.pk, "Hello")
    sent = buyers.browser_client(alice).post(
        f"/chats/{pair.pk}/report/", {"number": number, "reason": reason}
    )
    assert (sent.status_code, Report.objects.count()) == (status, 0)


def test_ones_own_message_is_not_reported(reported: Report, bob: User) -> None:
    with pytest.raises(Problem) as refusal:
        reports.report(bob.pk, reported.chat_id, number=1, reason="spam")
    assert refusal.value.status == 404


def test_staff_hides_a_message_for_everybody(boss: Client, reported: Report, alice: User) -> None:
    page = boss.get(f"/admin/chat/report/{reported.pk}/change/").text
    assert "Buy cheap watches" in page
    boss.post(f"/admin/chat/report/{reported.pk}/hide-message/", CONFIRMED)
    reported.refresh_from_db()
    assert reported.state == Report.State.HIDDEN
    text = buyers.browser_client(alice).get(f"/chats/{reported.chat_id}/").text
    assert "This message was removed by Savor." in text
    assert "watches" not in text


def test_staff_dismisses_a_report(boss: Client, reported: Report) -> None:
    boss.post(f"/admin/chat/report/{reported.pk}/dismiss/", CONFIRMED)
    reported.refresh_from_db()
    assert (reported.state, Message.objects.get().hidden_at) == (Report.State.DISMISSED, None)


def test_a_chat_opens_to_staff_for_an_hour_with_a_reason(boss: Client, reported: Report) -> None:
    url = f"/admin/chat/chat/{reported.chat_id}/change/"
    assert "watches" not in boss.get(url).text
    assert boss.post(url, {"reason": " "}).status_code == 422
    assert boss.post(url, {"reason": "Report 1"}).status_code == 302
    assert "watches" in boss.get(url).text
    assert ChatOpening.objects.get().reason == "Report 1"
    ChatOpening.objects.update(opened_at=timezone.now() - openings.OPEN_PERIOD - timedelta(seconds=1))
    assert "watches" not in boss.get(url).text


def test_lists_of_the_admin_show_no_message(boss: Client, reported: Report) -> None:
    for path in ("chat", "chatopening", "report"):
        assert boss.get(f"/admin/chat/{path}/").status_code == 200
    assert "watches" not in boss.get("/admin/chat/chat/").text
