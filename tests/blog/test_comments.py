"""Comments and replies: the verbs."""

from datetime import timedelta

import factory
import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.db import connection
from django.http import Http404
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.accounts.profiles import suspensions
from apps.blog import access, comments
from apps.blog.models import UNDO_PERIOD, Comment, Note
from apps.web.problems import Problem
from tests.blog import makers
from tests.factories import CommentFactory, ShopMemberFactory
from tests.mailbox.makers import unread_kinds
from tests.races import race

pytestmark = pytest.mark.django_db(transaction=True)


def count(note: Note) -> int:
    """What the note says of its comments."""
    note.refresh_from_db()
    return note.comments


def texts(page: comments.CommentPage) -> list[str]:
    """What a page of comments says."""
    return [one.comment.text for one in page.items]


@pytest.mark.both_databases
def test_comments_come_in_order_of_time(alice: User, bob: User) -> None:
    note = makers.note(alice)
    for text in ("First", "Second", "Third"):
        comments.add(note.pk, bob, text)
    assert texts(comments.list_page(note, None, None)) == ["First", "Second", "Third"]
    assert count(note) == 3


def test_an_owner_answers_as_the_shop_and_is_marked_so(alice: User, bob: User, charlie: User) -> None:
    note = makers.note(alice)
    comments.add(note.pk, bob, "Before it was mine")
    ShopMemberFactory.create(shop=note.shop, user=bob, owner=True)
    ShopMemberFactory.create(shop=note.shop, user=charlie)
    comments.add(note.pk, bob, "Thank you!")
    comments.add(note.pk, charlie, "I work there")
    items = comments.list_page(note, None, None).items
    assert [one.comment.as_shop for one in items] == [False, True, False]
    page = Client().get(f"/notes/{note.pk}/comments/").content.decode()
    assert page.count("From the shop") == 1
    assert [one["as_shop"] for one in Client().get(f"/api/notes/{note.pk}/comments").json()["items"]] == [
        False,
        True,
        False,
    ]


def test_a_reply_stands_under_its_comment(alice: User, bob: User) -> None:
    note = makers.note(alice)
    asked = comments.add(note.pk, bob, "Is it loud?")
    comments.add(note.pk, alice, "Only at noon.", reply_to=asked.pk)
    (shown,) = comments.list_page(note, None, None).items
    assert [(one.comment.text, one.comment.mentions) for one in shown.replies] == [("Only at noon.", None)]
    assert count(note) == 2


def test_a_reply_to_a_reply_mentions_whom_it_answers(alice: User, bob: User, charlie: User) -> None:
    note = makers.note(alice)
    asked = comments.add(note.pk, bob, "Is it loud?")
    answer = comments.add(note.pk, alice, "Only at noon.", reply_to=asked.pk)
    late = comments.add(note.pk, charlie, "And at night?", reply_to=answer.pk)
    assert (late.parent, late.mentions) == (asked, alice)
    more = comments.add(note.pk, charlie, "Nobody?", reply_to=late.pk)
    assert (more.parent, more.mentions) == (asked, None)


def test_who_hears_of_a_comment_anyway_hears_of_it_once(alice: User, bob: User, charlie: User) -> None:
    note = makers.note(alice)
    text = f"@{alice.nickname} and @{charlie.nickname}, look at this"
    comments.add(note.pk, bob, text, mention_ids=[alice.pk, charlie.pk])
    assert [unread_kinds(person) for person in (alice, charlie)] == [["comment"], ["mention"]]


@pytest.mark.both_databases
def test_replies_past_the_first_three_are_counted(alice: User, bob: User) -> None:
    note = makers.note(alice)
    asked = comments.add(note.pk, bob, "Is it loud?")
    for number in range(25):
        comments.add(note.pk, alice, f"Answer {number}", reply_to=asked.pk)
    (shown,) = comments.list_page(note, None, None).items
    assert ([one.comment.text for one in shown.replies], shown.reply_count) == (
        ["Answer 0", "Answer 1", "Answer 2"],
        25,
    )
    first = comments.list_replies(asked, None, None)
    second = comments.list_replies(asked, first.next, None)
    assert texts(first) + texts(second) == [f"Answer {number}" for number in range(25)]
    assert second.next is None


@pytest.mark.both_databases
def test_pages_neither_repeat_nor_skip_at_equal_times(alice: User, bob: User) -> None:
    note = makers.note(alice)
    texts_in_order = factory.Iterator(map(str, range(45)))
    CommentFactory.bulk_create(45, note=note, author=bob, text=texts_in_order, created_at=timezone.now())
    seen, cursor = list[str](), None
    for _ in range(3):
        page = comments.list_page(note, cursor, None)
        seen, cursor = seen + texts(page), page.next
    assert seen == [str(number) for number in range(45)]
    assert cursor is None


def test_what_came_after_the_first_page_stays_out_of_the_later_ones(alice: User, bob: User) -> None:
    note = makers.note(alice)
    for number in range(21):
        comments.add(note.pk, bob, str(number))
    first = comments.list_page(note, None, bob)
    comments.add(note.pk, bob, "Mine")
    assert texts(comments.list_page(note, first.next, bob, until=first.until)) == ["20"]
    assert texts(comments.list_page(note, first.next, bob)) == ["20", "Mine"]


def test_a_deleted_comment_is_gone_and_counted_once(alice: User, bob: User) -> None:
    note = makers.note(alice)
    made = comments.add(note.pk, bob, "Too late")
    assert [comments.delete(access.deletable_comment(made.pk, bob)) for _ in range(2)] == [True, False]
    assert comments.list_page(note, None, None).items == []
    assert count(note) == 0


def test_a_deleted_comment_keeps_the_place_of_its_replies(alice: User, bob: User) -> None:
    note = makers.note(alice)
    asked = comments.add(note.pk, bob, "Is it loud?")
    answer = comments.add(note.pk, alice, "Only at noon.", reply_to=asked.pk)
    comments.delete(access.deletable_comment(asked.pk, bob))
    (shown,) = comments.list_page(note, None, bob).items
    assert shown.comment.deleted_at
    assert not shown.may_delete
    assert count(note) == 1
    comments.delete(access.deletable_comment(answer.pk, alice))
    assert comments.list_page(note, None, None).items == []


def test_who_deleted_a_comment_may_bring_it_back_for_a_day(alice: User, bob: User) -> None:
    note = makers.note(alice)
    made = comments.add(note.pk, bob, "Hm")
    comments.delete(made, by=bob)
    made.refresh_from_db()
    assert [access.may_restore(made, person) for person in (bob, alice, None)] == [True, False, False]
    with pytest.raises(Http404):
        access.own_deleted_comment(made.pk, alice)
    with (
        time_machine.travel(timezone.now() + UNDO_PERIOD + timedelta(seconds=1)),
        pytest.raises(Http404),
    ):
        access.own_deleted_comment(made.pk, bob)
    assert [comments.restore(access.own_deleted_comment(made.pk, bob)), comments.restore(made)] == [
        True,
        False,
    ]
    assert count(note) == len(comments.list_page(note, None, bob).items) == 1
    with pytest.raises(Http404):
        access.own_deleted_comment(made.pk, bob)


def test_a_writer_brings_back_nothing_that_somebody_else_took_away(
    alice: User, bob: User, manager: User
) -> None:
    note = makers.note(alice)
    made = comments.add(note.pk, bob, "Rude words")
    for whoever in (alice, manager, None):
        comments.delete(made, by=whoever)
        comments.delete(made, by=bob)
        with pytest.raises(Http404):
            access.own_deleted_comment(made.pk, bob)
        assert comments.restore(made)


def test_a_suspended_person_brings_nothing_back(alice: User, bob: User) -> None:
    note = makers.note(alice)
    made = comments.add(note.pk, bob, "Hm")
    comments.delete(made, by=bob)
    bob.suspended_until = suspensions.FOR_GOOD
    with pytest.raises(Problem, match="suspended"):
        comments.undo_delete(made, by=bob)
    assert count(note) == 0


@pytest.mark.both_databases
def test_bringing_back_twice_at_once_counts_once(alice: User, bob: User) -> None:
    note = makers.note(alice)
    made = comments.add(note.pk, bob, "Hm")
    comments.delete(made, by=bob)
    assert sorted(map(str, race(100, lambda _number: comments.restore(made)))) == ["False"] * 99 + ["True"]
    assert count(note) == 1


def test_who_may_delete(alice: User, bob: User, charlie: User, manager: User) -> None:
    note = makers.note(alice)
    made = comments.add(note.pk, bob, "Hm")
    for person in (bob, alice, manager):
        assert access.deletable_comment(made.pk, person) == made
    with pytest.raises(Problem) as refused:
        access.deletable_comment(made.pk, charlie)
    assert refused.value.status == 403
    for person in (alice, bob, manager):
        assert comments.list_page(note, None, person).items[0].may_delete
    assert not comments.list_page(note, None, charlie).items[0].may_delete
    assert not comments.list_page(note, None, None).items[0].may_delete


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "text", ["", " \n\t ", "x" * 1001, "a\x00b", "a\x07b", "\ud800", "\u202eabc", "\u200b"]
)
def test_what_nobody_can_read_is_refused(alice: User, text: str) -> None:
    note = makers.note(alice)
    with pytest.raises(ValidationError):
        comments.add(note.pk, alice, text)
    assert count(note) == Comment.objects.count() == 0


def test_a_text_is_tidied(alice: User) -> None:
    note = makers.note(alice)
    made = comments.add(note.pk, alice, " Good.\r\n\r\n\r\n\r\nReally. \n" + " " * 2_000)
    assert made.text == "Good.\n\nReally."
    assert comments.add(note.pk, alice, "字" * 1_000).text == "字" * 1_000


@pytest.mark.parametrize("status", [Note.Status.DRAFT, Note.Status.DELETED])
def test_a_note_that_nobody_sees_takes_no_comments(alice: User, status: str) -> None:
    note = makers.note(alice, status=status)
    with pytest.raises(Http404):
        comments.add(note.pk, alice, "Hello?")
    with pytest.raises(Http404):
        comments.add(note.pk + 1, alice, "Hello?")


def test_a_reply_needs_a_comment_of_the_same_note(alice: User, bob: User) -> None:
    note, other = makers.note(alice), makers.note(alice)
    elsewhere = comments.add(other.pk, bob, "Elsewhere")
    gone = comments.add(note.pk, bob, "Gone")
    comments.delete(gone)
    for answered in (elsewhere.pk, gone.pk, 10_000):
        with pytest.raises(Http404):
            comments.add(note.pk, alice, "Yes", reply_to=answered)
    assert count(note) == 0


def test_the_author_and_who_is_answered_hear_of_it_once(alice: User, bob: User, charlie: User) -> None:
    note = makers.note(alice)
    asked = comments.add(note.pk, bob, "Is it loud?")
    comments.add(note.pk, charlie, "Very.", reply_to=asked.pk)
    answer = comments.add(note.pk, alice, "No.", reply_to=asked.pk)
    heard = [unread_kinds(person) for person in (alice, bob, charlie)]
    assert heard == [["comment", "comment"], ["reply", "reply"], []]
    comments.delete(answer, by=alice)
    assert unread_kinds(bob) == ["reply"]
    comments.restore(answer)
    assert unread_kinds(bob) == ["reply", "reply"]


@pytest.mark.both_databases
def test_a_storm_of_comments_and_deletions_leaves_the_right_count(alice: User) -> None:
    note = makers.note(alice)
    old = [comments.add(note.pk, alice, str(number)) for number in range(20)]

    def act(number: int) -> object:
        # Each deletion is tried twice.
        return comments.delete(old[number // 2]) if number < 40 else comments.add(note.pk, alice, "New")

    answers = race(60, act)
    assert not [one for one in answers if isinstance(one, Exception)]
    assert answers[:40].count(True) == 20
    assert count(note) == Comment.objects.visible().count() == 20


def test_twenty_comments_cost_what_ten_cost(alice: User, bob: User, round_trips: list[object]) -> None:
    note = makers.note(alice)

    def cost() -> tuple[int, int]:
        round_trips.clear()
        with CaptureQueriesContext(connection) as captured:
            comments.list_page(note, None, bob)
        return len(captured), len(round_trips)

    def talk(many: int) -> None:
        for _ in range(many):
            asked = comments.add(note.pk, bob, "Is it loud?")
            answer = comments.add(note.pk, alice, "No.", reply_to=asked.pk)
            comments.add(note.pk, bob, "Thanks.", reply_to=answer.pk)

    talk(10)
    few = cost()
    talk(10)
    assert cost() == few == (3, 0)
