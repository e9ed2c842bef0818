"""Decisions: what they do to a thing and its author, how they are undone, and who hears of it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.http import Http404
from django.utils import timezone

from apps.accounts.deletion import deletions
from apps.accounts.models import User
from apps.accounts.profiles import suspensions
from apps.blog import access, comments
from apps.blog.models import Comment, Note, Photo
from apps.blog.writing import notes
from apps.chat.models import Message
from apps.mailbox.models import Notification
from apps.moderation import decisions, reports
from apps.moderation.models import Case, Decision
from apps.web.problems import Problem
from tests import races
from tests.blog import makers
from tests.coupons import buyers
from tests.factories import AccountDeletionFactory, CommentFactory

pytestmark = pytest.mark.django_db(transaction=True)


def texts_for(person: User) -> list[str]:
    """The states of what a person is told about reports and decisions, the newest first."""
    rows = Notification.objects.filter(recipient=person, kind="report").order_by("-latest_at", "-id")
    return list(rows.values_list("text", flat=True))


def is_shown(kind: str, target_id: int) -> bool:
    """Whether everybody, or in a chat its members, may see a thing."""
    if kind == "note":
        return Note.objects.get(pk=target_id).status == Note.Status.PUBLISHED
    if kind == "photo":
        return Photo.objects.get(pk=target_id).note_id is not None
    if kind == "comment":
        return Comment.objects.get(pk=target_id).deleted_at is None
    if kind == "message":
        return Message.objects.get(pk=target_id).hidden_at is None
    person = User.objects.get(pk=target_id)
    return bool(person.avatar) if kind == "avatar" else person.nickname == "Bob"


@pytest.mark.both_databases
@pytest.mark.parametrize("kind", ["note", "photo", "comment", "message", "person", "avatar"])
def test_every_kind_is_hidden_and_brought_back(
    kind: str, alice: User, bob: User, moderator: User, request: pytest.FixtureRequest
) -> None:
    bob.avatar.save("b0b" + "0" * 29 + ".webp", ContentFile(b"picture"))
    name = bob.avatar.name
    target_id = bob.pk if kind in {"person", "avatar"} else request.getfixturevalue(kind).pk
    case = reports.report(alice, kind, target_id, reason="insult").report.case
    decision = decisions.decide(case.pk, moderator, is_hidden=True, reason="Rude")
    assert (is_shown(kind, target_id), texts_for(alice), texts_for(bob)) == (False, ["acted"], ["hidden"])
    assert default_storage.exists(name or "") is (kind not in {"person", "avatar"})
    decisions.undo(decision.pk, moderator)
    assert (is_shown(kind, target_id), texts_for(bob)) == (True, ["undone"])
    assert default_storage.exists(name or "")


@pytest.mark.both_databases
def test_a_hidden_photo_is_nobodys_to_use(photo: Photo, alice: User, bob: User, moderator: User) -> None:
    case = reports.report(alice, "photo", photo.pk, reason="illegal").report.case
    decisions.decide(case.pk, moderator, is_hidden=True, reason="Not allowed")
    theirs, url = buyers.api_client(bob), f"/api/notes/{photo.note_id}"
    given = {"photo_ids": [photo.pk], "title": "Again"}
    assert theirs.patch(url, given, content_type="application/json").status_code == 422
    assert theirs.get(f"/media/notes/{photo.name}.webp").status_code == 404
    assert theirs.delete(f"/api/photos/{photo.pk}").status_code == 404
    assert len(theirs.get(url).json()["photos"]) == 1


def test_dismissing_tells_the_reporter_alone(case: Case, alice: User, bob: User, moderator: User) -> None:
    decisions.decide(case.pk, moderator, reason="An honest note")
    case.refresh_from_db()
    assert (case.state, case.report_count, is_shown("note", case.target_id)) == ("decided", 0, True)
    assert (texts_for(alice), texts_for(bob)) == (["dismissed"], [])


@pytest.mark.parametrize(("sanction", "days"), [("day", 1), ("week", 7), ("month", 30)])
def test_a_suspension_ends_by_itself(
    case: Case, bob: User, moderator: User, sanction: str, days: int
) -> None:
    decisions.decide(case.pk, moderator, sanction=sanction, reason="Advertising")
    bob.refresh_from_db()
    assert bob.suspended_until
    assert timedelta(0) <= timezone.now() + timedelta(days=days) - bob.suspended_until < timedelta(minutes=1)
    User.objects.filter(pk=bob.pk).update(suspended_until=timezone.now())
    bob.refresh_from_db()
    assert not suspensions.is_suspended(bob)


def post(client: Any, path: str, body: dict[str, Any]) -> Any:
    return client.post(path, body, content_type="application/json")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "/api/notes", {"shop_id": "{shop}"}),
        ("patch", "/api/notes/{note}", {"title": "New"}),
        ("post", "/api/notes/{note}/comments", {"text": "Hello"}),
        ("post", "/api/chats/{chat}/messages", {"text": "Hello", "client_id": "1"}),
        ("post", "/api/chats", {"member_ids": ["{other}"]}),
        ("patch", "/api/me", {"bio": "Watches"}),
        ("delete", "/api/me/avatar", {}),
    ],
)
def test_who_is_suspended_writes_nothing_and_reads_why(
    note: Note, chat: Any, bob: User, charlie: User, method: str, path: str, body: dict[str, Any]
) -> None:
    suspensions.suspend(bob.pk, until=suspensions.FOR_GOOD, reason="Advertising")
    ids = {"shop": note.shop_id, "note": note.pk, "chat": chat.pk, "other": charlie.pk}

    def fill(value: Any) -> Any:
        if isinstance(value, list):
            return [fill(one) for one in value]
        return ids[value[1:-1]] if isinstance(value, str) and value.startswith("{") else value

    theirs = buyers.api_client(bob)
    sent = {name: fill(value) for name, value in body.items()}
    answer = getattr(theirs, method)(path.format(**ids), sent, content_type="application/json")
    assert (answer.status_code, answer.json()["code"], answer.json()["until"]) == (403, "suspended", None)
    assert "Advertising" in answer.json()["detail"]


@pytest.mark.both_databases
def test_a_page_says_why_nothing_is_saved(bob: User) -> None:
    suspensions.suspend(bob.pk, until=timezone.now() + timedelta(days=1), reason="Advertising")
    answer = buyers.browser_client(bob).post("/me/edit/", {"nickname": "Robert"})
    assert (answer.status_code, "Advertising" in answer.text) == (403, True)


def test_a_ban_ends_every_session_and_undoing_it_lets_in_again(
    case: Case, bob: User, moderator: User
) -> None:
    theirs = buyers.api_client(bob)
    ban = decisions.decide(case.pk, moderator, sanction="ban", reason="Fraud")
    assert theirs.get("/api/me").status_code == 401
    decisions.undo(ban.pk, moderator)
    assert buyers.api_client(bob).get("/api/me").status_code == 200


def test_undoing_lifts_what_it_imposed_and_nothing_else(
    case: Case, comment: Comment, alice: User, bob: User, moderator: User
) -> None:
    other = reports.report(alice, "comment", comment.pk, reason="spam").report.case
    week = decisions.decide(case.pk, moderator, sanction="week", reason="Advertising")
    forever = decisions.decide(other.pk, moderator, sanction="forever", reason="Again")
    decisions.undo(week.pk, moderator)
    bob.refresh_from_db()
    assert bob.suspended_until == suspensions.FOR_GOOD
    decisions.undo(forever.pk, moderator)
    bob.refresh_from_db()
    assert (bob.suspended_until, bob.suspension_reason) == (week.until, "Advertising")


@pytest.mark.both_databases
def test_of_moderators_at_once_one_decides_and_the_others_are_told(case: Case, moderator: User) -> None:
    outcomes = races.race(8, lambda _number: decisions.decide(case.pk, moderator, reason="Fine"))
    refused = [outcome for outcome in outcomes if isinstance(outcome, Problem)]
    assert (len(refused), Decision.objects.count()) == (7, 1)
    assert {(problem.status, problem.code) for problem in refused} == {(409, "decided")}
    assert "Mo has decided this already" in refused[0].detail


def test_a_decision_needs_a_reason_and_is_logged(case: Case, moderator: User) -> None:
    with pytest.raises(ValidationError):
        decisions.decide(case.pk, moderator, is_hidden=True, reason=" ")
    assert is_shown("note", case.target_id)
    decisions.decide(case.pk, moderator, is_hidden=True, reason="Advertising")
    entry = LogEntry.objects.get()
    assert (entry.user, entry.object_id) == (moderator, str(case.pk))
    assert "Advertising" in entry.change_message


def test_what_its_author_deleted_is_decided_without_hiding(case: Case, moderator: User) -> None:
    Note.objects.update(status=Note.Status.DELETED)
    with pytest.raises(Problem) as refusal:
        decisions.decide(case.pk, moderator, is_hidden=True, reason="Advertising")
    assert refusal.value.code == "gone"
    decisions.decide(case.pk, moderator, sanction="warning", reason="Advertising")


@pytest.mark.parametrize("kind", ["note", "comment"])
def test_what_its_author_deleted_is_hidden_before_they_bring_it_back(
    kind: str, alice: User, bob: User, moderator: User, request: pytest.FixtureRequest
) -> None:
    thing = request.getfixturevalue(kind)
    find: Callable[[int, User], Note | Comment] = (
        access.own_deleted_note if kind == "note" else access.own_deleted_comment
    )
    case = reports.report(alice, kind, thing.pk, reason="insult").report.case
    if kind == "note":
        notes.delete(thing)
    else:
        comments.delete(thing, by=bob)
    decision = decisions.decide(case.pk, moderator, is_hidden=True, reason="Rude")
    with pytest.raises(Http404):
        find(thing.pk, bob)
    decisions.undo(decision.pk, moderator)
    assert (is_shown(kind, thing.pk), find(thing.pk, bob).pk) == (False, thing.pk)


@pytest.mark.both_databases
def test_a_ban_hides_everything_they_wrote_and_undoing_it_brings_all_back(
    case: Case, comment: Comment, alice: User, bob: User, moderator: User
) -> None:
    others = [makers.note(bob, title=f"Watches {number}") for number in range(2)]
    said = CommentFactory.create(note=makers.note(alice), author=bob)
    old = makers.note(bob, title="Deleted by himself", status=Note.Status.DELETED)
    with pytest.raises(Problem) as refusal:
        decisions.decide(case.pk, moderator, sanction="week", hides_all=True, reason="Spam")
    assert refusal.value.code == "not_banned"
    ban = decisions.decide(case.pk, moderator, sanction="ban", hides_all=True, reason="Spam")
    assert "everything they wrote" in LogEntry.objects.get().change_message
    assert decisions.sweep() == 1
    mine = Note.objects.published().filter(author=bob)
    assert (mine.count(), is_shown("comment", said.pk), decisions.sweep()) == (0, False, 0)
    decisions.undo(ban.pk, moderator)
    assert decisions.sweep() == 1
    assert {note.pk for note in mine} == {case.target_id, *(note.pk for note in others)}
    assert (is_shown("comment", said.pk), is_shown("note", old.pk), decisions.sweep()) == (True, False, 0)


@pytest.mark.both_databases
def test_a_ban_during_the_grace_of_a_deletion_is_not_undone_by_a_log_in(
    case: Case, bob: User, moderator: User
) -> None:
    AccountDeletionFactory.create(user=bob, profile={"nickname": "Bob"})
    User.objects.filter(pk=bob.pk).update(is_active=False, nickname="")
    ban = decisions.decide(case.pk, moderator, sanction="ban", reason="Fraud")
    assert not deletions.take_back(User.objects.get(pk=bob.pk))
    decisions.undo(ban.pk, moderator)
    assert not User.objects.get(pk=bob.pk).is_active, "it waits for a log-in, or for its day"
    assert deletions.take_back(User.objects.get(pk=bob.pk))
    bob.refresh_from_db()
    assert (bob.is_active, bob.nickname) == (True, "Bob")


@pytest.mark.both_databases
def test_a_new_report_opens_the_case_again(case: Case, charlie: User, moderator: User) -> None:
    decisions.decide(case.pk, moderator, reason="Fine")
    reports.report(charlie, "note", case.target_id, reason="spam")
    case.refresh_from_db()
    assert (case.state, case.report_count, Case.objects.count()) == ("open", 1, 1)


@pytest.mark.both_databases
def test_the_author_objects_once_and_the_case_is_back(case: Case, bob: User, moderator: User) -> None:
    hiding = decisions.decide(case.pk, moderator, is_hidden=True, reason="Advertising")
    theirs, url = buyers.browser_client(bob), f"/me/decisions/{hiding.pk}/"
    assert "Advertising" in theirs.get(url).text
    assert theirs.post(url, {"text": " "}).status_code == 422
    assert theirs.post(url, {"text": "I paid for the meal myself"}).status_code == 302
    case.refresh_from_db()
    assert (case.state, case.has_objection) == ("open", True)
    with pytest.raises(Problem) as refusal:
        decisions.object_to(bob, hiding.pk, "And again")
    assert refusal.value.code == "objected"
    decisions.decide(case.pk, moderator, reason="It stands")
    assert texts_for(bob) == ["upheld"]
    assert "the decision stands" in theirs.get(url).text


@pytest.mark.parametrize("is_upheld", [True, False])
def test_an_objection_is_answered_with_a_reason_that_its_author_reads(
    case: Case, bob: User, moderator: User, *, is_upheld: bool
) -> None:
    hiding = decisions.decide(case.pk, moderator, is_hidden=True, reason="Advertising")
    decisions.object_to(bob, hiding.pk, "I paid for the meal myself")
    with pytest.raises(ValidationError):
        decisions.answer_objection(case.pk, moderator, is_upheld=is_upheld, answer=" ")
    decisions.answer_objection(case.pk, moderator, is_upheld=is_upheld, answer="The receipt says it")
    case.refresh_from_db()
    assert (case.state, case.has_objection) == ("decided", False)
    assert is_shown("note", case.target_id) is not is_upheld
    assert texts_for(bob) == ["upheld" if is_upheld else "undone"]
    assert "The receipt says it" in buyers.browser_client(bob).get(f"/me/decisions/{hiding.pk}/").text


@pytest.mark.both_databases
@pytest.mark.parametrize("is_upheld", [True, False])
def test_reports_that_came_after_an_objection_wait_for_their_own_decision(
    case: Case, alice: User, bob: User, moderator: User, *, is_upheld: bool
) -> None:
    warning = decisions.decide(case.pk, moderator, sanction="warning", reason="Advertising")
    decisions.object_to(bob, warning.pk, "I paid for the meal myself")
    reports.report(alice, "note", case.target_id, reason="insult")
    decisions.answer_objection(case.pk, moderator, is_upheld=is_upheld, answer="As the receipt says")
    case.refresh_from_db()
    assert (case.state, case.has_objection, case.reports.open().count()) == ("open", False, 1)


def test_undoing_answers_the_objection(case: Case, bob: User, moderator: User) -> None:
    hiding = decisions.decide(case.pk, moderator, is_hidden=True, reason="Advertising")
    decisions.object_to(bob, hiding.pk, "I paid for the meal myself")
    decisions.undo(hiding.pk, moderator)
    case.refresh_from_db()
    assert (case.state, case.has_objection, is_shown("note", case.target_id)) == ("decided", False, True)


def test_nobody_reads_a_decision_about_others(case: Case, alice: User, moderator: User) -> None:
    hiding = decisions.decide(case.pk, moderator, is_hidden=True, reason="Advertising")
    assert buyers.browser_client(alice).get(f"/me/decisions/{hiding.pk}/").status_code == 404


@pytest.mark.both_databases
def test_the_api_decides_undoes_and_objects(case: Case, alice: User, bob: User, moderator: User) -> None:
    staff, theirs = buyers.api_client(moderator), buyers.api_client(bob)
    assert staff.get("/api/moderation/cases").json()["items"][0]["reasons"] == ["spam"]
    assert buyers.api_client(alice).get("/api/moderation/cases").status_code == 403
    url = f"/api/moderation/cases/{case.pk}/decisions"
    made = post(staff, url, {"hide": True, "sanction": "warning", "reason": "Advertising"})
    assert (made.status_code, post(staff, url, {"reason": "Fine"}).json()["code"]) == (201, "decided")
    decision_id = theirs.get("/api/me/decisions").json()["items"][0]["id"]
    assert post(theirs, f"/api/me/decisions/{decision_id}/objection", {"text": "No"}).status_code == 201
    undone = post(staff, f"/api/moderation/decisions/{decision_id}/undo", {})
    assert (undone.status_code, undone.json()["undone_at"] is not None) == (200, True)
