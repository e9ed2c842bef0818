"""Reports: who may report what, once, and what becomes of it."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.blog.models import Note
from apps.moderation import decisions, limits, reports
from apps.moderation.models import Case, Reason, Report
from apps.web.problems import Problem
from tests import races
from tests.blog import makers
from tests.coupons import buyers
from tests.factories import ReportFactory

pytestmark = pytest.mark.django_db(transaction=True)
EVERY_KIND = ("note", "photo", "comment", "person", "avatar", "message", "chat")


@pytest.fixture
def targets(request: pytest.FixtureRequest, bob: User) -> dict[str, int]:
    """{kind: id of a thing of Bob's that Alice may see}."""
    User.objects.filter(pk=bob.pk).update(avatar="avatars/0.webp")
    found: dict[str, Any] = {
        name: request.getfixturevalue(name) for name in ("note", "photo", "comment", "message", "chat")
    }
    return {name: row.pk for name, row in found.items()} | {"person": bob.pk, "avatar": bob.pk}


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_kind_is_reported_once_a_person(kind: str, targets: dict[str, int], alice: User) -> None:
    first = reports.report(alice, kind, targets[kind], reason="spam")
    again = reports.report(alice, kind, targets[kind], reason="insult")
    assert (first.is_new, again.is_new, again.report.pk) == (True, False, first.report.pk)
    case = Case.objects.get()
    assert (case.kind, case.report_count, case.author and case.author.nickname) == (kind, 1, "Bob")


@pytest.mark.parametrize("kind", ["note", "photo", "comment", "person", "avatar"])
def test_ones_own_things_are_not_reported(kind: str, targets: dict[str, int], bob: User) -> None:
    with pytest.raises(Problem) as refusal:
        reports.report(bob, kind, targets[kind], reason="spam")
    assert (refusal.value.status, refusal.value.code) == (409, "own_thing")


@pytest.mark.parametrize("kind", ["message", "chat"])
def test_a_stranger_reports_nothing_of_a_chat(kind: str, targets: dict[str, int], charlie: User) -> None:
    with pytest.raises(Problem) as refusal:
        reports.report(charlie, kind, targets[kind], reason="spam")
    assert refusal.value.status == 404


@pytest.mark.parametrize("kind", [*EVERY_KIND, "nothing"])
def test_what_is_gone_has_a_clear_answer(kind: str, alice: User) -> None:
    with pytest.raises(Problem) as refusal:
        reports.report(alice, kind, 999_999, reason="spam")
    assert (refusal.value.status, refusal.value.code) == (404, "not_found")


@pytest.mark.parametrize(
    ("kind", "reason", "text"),
    [("note", "", ""), ("note", "x", ""), ("note", "other", " "), ("person", "shop", "")],
)
def test_a_report_needs_a_reason_that_fits(
    kind: str, reason: str, text: str, targets: dict[str, int], alice: User
) -> None:
    with pytest.raises(ValidationError):
        reports.report(alice, kind, targets[kind], reason=reason, text=text)
    assert not Report.objects.exists()


@pytest.mark.both_databases
def test_many_reports_of_one_thing_are_one_case(note: Note, alice: User, charlie: User) -> None:
    for person in (alice, charlie):
        reports.report(person, "note", note.pk, reason="fake")
    case = Case.objects.get()
    assert (case.report_count, case.reasons) == (2, ["fake"])


@pytest.mark.both_databases
def test_twenty_presses_at_once_are_one_report(note: Note, alice: User) -> None:
    outcomes = races.race(20, lambda _number: reports.report(alice, "note", note.pk, reason="spam").is_new)
    assert sum(bool(is_new) for is_new in outcomes) <= 1
    assert (Report.objects.count(), Case.objects.get().report_count) == (1, 1)


def test_a_person_who_reports_without_end_is_told_to_wait(bob: User, alice: User) -> None:
    notes = [makers.note(bob, photos=0) for _ in range(limits.REPORTS.allowed + 1)]
    for note in notes[:-1]:
        reports.report(alice, "note", note.pk, reason="spam")
    with pytest.raises(Problem) as refusal:
        reports.report(alice, "note", notes[-1].pk, reason="spam")
    assert refusal.value.status == 429


def test_without_redis_reports_are_kept(redis_away: None, note: Note, alice: User) -> None:
    assert reports.report(alice, "note", note.pk, reason="spam").is_new


def test_a_page_reports_and_says_so_the_next_time(note: Note, alice: User) -> None:
    mine, url = buyers.browser_client(alice), f"/report/note/{note.pk}/"
    assert note.title in mine.get(url).text
    refused = mine.post(url, {"reason": "other", "text": ""})
    assert (refused.status_code, "checked" in refused.text) == (422, True)
    assert mine.post(url, {"reason": "fake", "text": "Paid for"}).status_code == 302
    assert "You reported this" in mine.get(url).text
    assert note.title in mine.get("/me/reports/").text


def test_a_visitor_logs_in_first(client: Client, note: Note) -> None:
    answer = client.get(f"/report/note/{note.pk}/")
    assert (answer.status_code, answer["Location"].startswith("/login/")) == (302, True)


@pytest.mark.both_databases
def test_the_api_reports_and_lists(note: Note, alice: User, moderator: User) -> None:
    mine, body = buyers.api_client(alice), {"kind": "note", "id": note.pk, "reason": Reason.SPAM}
    answers = [mine.post("/api/reports", body, content_type="application/json") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 200]
    assert mine.get("/api/me/reports").json()["items"][0]["state"] == "open"
    decisions.decide(Case.objects.get().pk, moderator, is_hidden=True, reason="Advertising")
    assert mine.get("/api/me/reports").json()["items"][0]["state"] == "acted"


@pytest.mark.parametrize("path", ["/me/reports/", "/api/me/reports"])
def test_20_reports_cost_as_many_queries_as_10(path: str, alice: User, bob: User) -> None:
    mine, counts = buyers.browser_client(alice), []
    for _ in range(2):
        for _ in range(10):
            ReportFactory.create(case__author=bob, reporter=alice)
        mine.get(path)
        with CaptureQueriesContext(connection) as queries:
            assert mine.get(path).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
