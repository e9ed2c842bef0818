"""Every way by which two people reach each other, once Alice has blocked Bob."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from apps.accounts.models import User
from apps.accounts.personal import answers
from apps.accounts.relations import blocks
from apps.blog import comments, likes
from apps.blog.models import Comment, Note
from apps.chat import chats, messages
from apps.chat.models import Chat
from apps.follows import graph
from apps.mailbox.models import Notification
from apps.web.problems import Problem
from tests.blog import makers
from tests.coupons import buyers
from tests.factories import FollowFactory

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class World:
    """What Alice, Bob and Charlie had before the block."""

    alice: User
    bob: User
    charlie: User
    notes: dict[int, Note]
    said: dict[int, Comment]
    chat: Chat


@pytest.fixture
def world(alice: User, bob: User, charlie: User) -> World:
    """Each wrote a note; Alice and Bob commented on Charlie's, followed each other, and have a chat."""
    notes = {person.pk: makers.note(person) for person in (alice, bob, charlie)}
    said = {person.pk: comments.add(notes[charlie.pk].pk, person, "Nice") for person in (alice, bob)}
    for one, other in ((alice, bob), (bob, alice)):
        graph.follow(one.pk, other.pk)
        graph.follow(one.pk, charlie.pk)
        likes.like(notes[charlie.pk].pk, one.pk)
        likes.like(notes[one.pk].pk, charlie.pk)
    chat = chats.open_with(alice.pk, bob.pk)
    blocks.block(alice.pk, bob.pk)
    return World(alice, bob, charlie, notes, said, chat)


#: What one of the two does to the other: (world, who acts, whom they reach).
WAYS: dict[str, Callable[[World, User, User], Any]] = {
    "comments on their note": lambda w, me, other: comments.add(w.notes[other.pk].pk, me, "Hello"),
    "answers their comment": lambda w, me, other: comments.add(
        w.notes[w.charlie.pk].pk, me, "Hello", reply_to=w.said[other.pk].pk
    ),
    "likes their note": lambda w, me, other: likes.like(w.notes[other.pk].pk, me.pk),
    "follows them": lambda _w, me, other: graph.follow(me.pk, other.pk),
    "writes to them": lambda w, me, _other: messages.post(me.pk, w.chat.pk, "Hello"),
    "invites them": lambda _w, me, other: chats.create_group(me.pk, [other.pk], "Us"),
}


@pytest.mark.parametrize("way", WAYS)
def test_neither_reaches_the_other(way: str, world: World) -> None:
    for me, other in ((world.alice, world.bob), (world.bob, world.alice)):
        with pytest.raises(Problem) as refusal:
            WAYS[way](world, me, other)
        assert (refusal.value.status, refusal.value.code) == (403, "blocked")


#: What Bob asks the API for, and Alice too: the answer names neither the other nor their things.
LISTS = (
    "/api/notes/hot",
    "/api/shops/{shop}/notes",
    "/api/notes/{charlies}/comments",
    "/api/notes/{charlies}/likers",
    "/api/users/{charlie}/followers",
    "/api/users/{charlie}/likes",
    "/api/feed",
    "/api/people/suggestions",
    "/api/suggest?q={name}&kind=people",
)


@pytest.mark.parametrize("path", LISTS)
def test_lists_leave_the_other_out(path: str, world: World) -> None:
    for me, other in ((world.alice, world.bob), (world.bob, world.alice)):
        ids = {"shop": world.notes[me.pk].shop_id, "charlies": world.notes[world.charlie.pk].pk}
        asked = path.format(charlie=world.charlie.pk, name=other.nickname, **ids)
        answer = buyers.api_client(me).get(asked)
        assert (answer.status_code, f'"{other.nickname}"' in answer.text) == (200, False)
        outside = buyers.api_client(world.charlie).get(asked)
        if "feed" not in path and "suggest" not in path:
            assert f'"{other.nickname}"' in outside.text


#: (path, what Bob, who is blocked, gets, and what Alice gets).
PAGES = (
    ("/api/users/{other}", 404, 200),
    ("/api/users/{other}/followers", 404, 200),
    ("/api/users/{other}/notes", 404, 200),
    ("/people/{other}/followers/", 404, 200),
    ("/people/{other}/notes/", 404, 200),
    ("/api/notes/{note}", 404, 404),
)


@pytest.mark.parametrize(("path", "for_blocked", "for_blocker"), PAGES)
def test_who_is_blocked_finds_nobody(path: str, for_blocked: int, for_blocker: int, world: World) -> None:
    for me, other, status in (
        (world.bob, world.alice, for_blocked),
        (world.alice, world.bob, for_blocker),
    ):
        client = buyers.api_client(me) if path.startswith("/api") else buyers.browser_client(me)
        asked = path.format(other=other.pk, note=world.notes[other.pk].pk)
        assert client.get(asked).status_code == status


def test_a_feed_shows_nobody_across_a_block_though_the_follow_is_not_over_yet(world: World) -> None:
    FollowFactory.create(follower=world.alice, followee=world.bob)
    authors = [
        note["author"]["id"] for note in buyers.api_client(world.alice).get("/api/feed").json()["items"]
    ]
    assert authors == [world.charlie.pk]


def test_neither_is_told_of_the_other(world: World) -> None:
    comments.add(world.notes[world.charlie.pk].pk, world.bob, "@Alice look", mention_ids=[world.alice.pk])
    for me, other in ((world.alice, world.bob), (world.bob, world.alice)):
        rows = Notification.objects.filter(recipient=me)
        assert str(other.pk) not in [actor for row in rows for actor in row.recent_actors.split(",")]


def test_the_readers_own_part_says_whose_things_a_page_hides(world: World) -> None:
    cards = {
        person.pk: answers.build(answers.Query(person.pk, {}))["person"]
        for person in (world.alice, world.bob, world.charlie)
    }
    assert (cards[world.alice.pk]["blocked"], cards[world.alice.pk]["blocked_by"]) == ([world.bob.pk], [])
    assert (cards[world.bob.pk]["blocked"], cards[world.bob.pk]["blocked_by"]) == ([], [world.alice.pk])
    assert (cards[world.charlie.pk]["blocked"], cards[world.charlie.pk]["blocked_by"]) == ([], [])
    blocks.unblock(world.alice.pk, world.bob.pk)
    assert answers.build(answers.Query(world.bob.pk, {}))["person"]["blocked_by"] == []


def test_an_ended_block_lets_them_answer_again(world: World) -> None:
    blocks.unblock(world.alice.pk, world.bob.pk)
    assert comments.add(world.notes[world.alice.pk].pk, world.bob, "Hello")
    assert likes.like(world.notes[world.alice.pk].pk, world.bob.pk)
