"""The queue in the admin."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.blog.models import Note
from apps.chat.models import Chat
from apps.moderation import decisions, monitoring_hooks, reports
from apps.moderation.models import Case, Decision
from tests.blog import makers
from tests.factories import ReportFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(client: Client, moderator: User) -> Client:
    """The admin as the moderator sees it."""
    client.force_login(moderator)
    return client


def change_url(case: Case) -> str:
    return f"/admin/moderation/case/{case.pk}/change/"


@pytest.mark.both_databases
@pytest.mark.parametrize("kind", ["note", "photo", "comment", "message", "person", "chat"])
def test_staff_reads_what_was_reported_and_decides(
    kind: str, desk: Client, alice: User, bob: User, request: pytest.FixtureRequest
) -> None:
    target_id = bob.pk if kind == "person" else request.getfixturevalue(kind).pk
    case = reports.report(alice, kind, target_id, reason="other", text="Look at this").report.case
    page = desk.get(change_url(case)).text
    assert "Look at this" in page
    assert "It is gone" not in page or kind == "chat"
    assert desk.post(change_url(case), {"reason": ""}).status_code == 422
    assert desk.post(change_url(case), {"sanction": "warning", "reason": "Rude"}).status_code == 302
    assert Decision.objects.get().reason == "Rude"


def test_reports_are_dismissed_by_one_press_and_the_next_case_follows(
    desk: Client, note: Note, alice: User, bob: User
) -> None:
    other = makers.note(bob)
    for one in (note, other):
        reports.report(alice, "note", one.pk, reason="spam")
    first, second = Case.objects.order_by("pk")
    page = desk.get(change_url(first)).text
    assert f'href="{note.get_absolute_url()}"' in page
    assert f'href="/people/{note.author_id}/"' in page
    answer = desk.post(change_url(first), {"dismiss": "1"})
    assert answer["Location"] == change_url(second)
    decision = Decision.objects.get()
    assert (decision.case, decision.is_hidden, decision.sanction) == (first, False, "")
    assert decision.reason == "We looked at it and found nothing wrong."
    dashboard = desk.get("/admin/").text
    assert change_url(first) not in dashboard
    assert change_url(second) in dashboard
    answer = desk.post(change_url(second), {"dismiss": "1", "reason": "It names its shop"})
    assert answer["Location"] == "/admin/moderation/case/"
    assert Decision.objects.get(case=second).reason == "It names its shop"


@pytest.mark.parametrize("button", ["uphold", "overturn"])
def test_an_objection_has_its_own_two_buttons(
    button: str, desk: Client, case: Case, bob: User, moderator: User
) -> None:
    hiding = decisions.decide(case.pk, moderator, is_hidden=True, reason="Advertising")
    decisions.object_to(bob, hiding.pk, "I paid for the meal myself")
    page = desk.get(change_url(case)).text
    assert 'value="uphold"' in page
    assert 'name="dismiss"' not in page
    assert desk.post(change_url(case), {"objection": button, "answer": ""}).status_code == 422
    sent = desk.post(change_url(case), {"objection": button, "answer": "The receipt says it"})
    assert sent["Location"] == "/admin/moderation/case/"
    hiding.refresh_from_db()
    assert (hiding.answer, hiding.undone_at is None) == ("The receipt says it", button == "uphold")


def test_a_whole_chat_cannot_be_hidden(desk: Client, chat: Chat, alice: User) -> None:
    case = reports.report(alice, "chat", chat.pk, reason="insult").report.case
    refused = desk.post(change_url(case), {"is_hidden": "on", "reason": "Rude"})
    assert (refused.status_code, "can&#x27;t be hidden" in refused.text) == (422, True)


def test_the_second_moderator_is_told_who_was_first(
    desk: Client, note: Note, alice: User, manager: User
) -> None:
    case = reports.report(alice, "note", note.pk, reason="spam").report.case
    decisions.decide(case.pk, manager, reason="Fine")
    refused = desk.post(change_url(case), {"reason": "Fine"})
    assert (refused.status_code, f"{manager.nickname} has decided" in refused.text) == (422, True)


@pytest.mark.both_databases
def test_many_cases_are_decided_together(desk: Client, bob: User, alice: User) -> None:
    notes = [makers.note(bob) for _ in range(3)]
    cases = [reports.report(alice, "note", note.pk, reason="spam").report.case for note in notes]
    chosen: dict[str, Any] = {"action": "decide_many", "_selected_action": [case.pk for case in cases]}
    assert "Decide these together" in desk.post("/admin/moderation/case/", chosen).text
    sent = chosen | {"is_hidden": "on", "reason": "Advertising"}
    assert desk.post("/admin/moderation/case/", sent).status_code == 302
    assert not Note.objects.published().exists()
    assert not Case.objects.filter(state="open").exists()


def test_a_decision_is_undone_on_the_page(desk: Client, note: Note, alice: User, moderator: User) -> None:
    case = reports.report(alice, "note", note.pk, reason="spam").report.case
    hiding = decisions.decide(case.pk, moderator, is_hidden=True, reason="Advertising")
    assert desk.post(change_url(case), {"undo": hiding.pk}).status_code == 302
    assert Note.objects.published().exists()


def test_who_may_only_look_decides_nothing(desk: Client, note: Note, alice: User, moderator: User) -> None:
    case = reports.report(alice, "note", note.pk, reason="spam").report.case
    moderator.user_permissions.remove(moderator.user_permissions.get(codename="decide_report"))
    assert desk.get(change_url(case)).status_code == 200
    assert desk.post(change_url(case), {"reason": "Fine"}).status_code == 403


@pytest.mark.both_databases
def test_the_queue_costs_the_same_for_20_cases_as_for_10(desk: Client, alice: User, bob: User) -> None:
    counts = []
    for _ in range(2):
        for _ in range(10):
            ReportFactory.create(case__author=bob, case__report_count=1, reporter=alice)
        desk.get("/admin/moderation/case/")
        with CaptureQueriesContext(connection) as queries:
            assert desk.get("/admin/moderation/case/").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.both_databases
def test_the_dashboard_and_metrics_count_what_is_open(boss: Client, note: Note, alice: User) -> None:
    reports.report(alice, "note", note.pk, reason="spam")
    assert monitoring_hooks.read_open() == {"": 1}
    assert monitoring_hooks.read_oldest()[""] >= 0
    assert 'href="/admin/moderation/case/?state__exact=open"' in boss.get("/admin/").text
    assert boss.get("/admin/moderation/decision/").status_code == 200
