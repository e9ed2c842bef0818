"""What people do to each other owes what docs/effects.md says, in one effect."""

import re
from collections.abc import Callable
from functools import partial

import pytest

from apps.accounts.models import User
from apps.blog import comments, likes
from apps.chat import chats, messages
from apps.follows import graph
from apps.queues.models import OwedEffect
from tests.blog import makers
from tests.checks.sources import ROOT

#: A line of the table: the event, its file, what it does at once, and what it owes.
EVENT_LINE = re.compile(r"^\| ([a-z ]+) \| `([\w/]+\.py)` \| ([^|]+) \| `([\w.]+)` \|$", re.MULTILINE)
EVENTS = [(line[0], line[3]) for line in EVENT_LINE.findall((ROOT / "docs" / "effects.md").read_text())]


def _act(event: str, alice: User, bob: User) -> Callable[[], object]:
    """Make ready for an event that Bob causes to Alice; returns what causes it."""
    note_id, chat_id = makers.note(alice).pk, chats.open_with(bob.pk, alice.pk).pk
    verbs: dict[str, Callable[[], object]] = {
        "like": partial(likes.like, note_id, bob.pk),
        "comment": partial(comments.add, note_id, bob, "Good noodles"),
        "follow": partial(graph.follow, bob.pk, alice.pk),
        "message": partial(messages.post, bob.pk, chat_id, "Hello"),
    }
    reverses: dict[str, tuple[str, Callable[[], object]]] = {
        "unlike": ("like", partial(likes.unlike, note_id, bob.pk)),
        "comment deleted": ("comment", lambda: comments.delete(bob.comments.get())),
        "unfollow": ("follow", partial(graph.unfollow, bob.pk, alice.pk)),
        "message deleted": ("message", partial(messages.delete, bob.pk, chat_id, 1)),
    }
    if event in verbs:
        return verbs[event]
    before, act = reverses[event]
    verbs[before]()
    return act


@pytest.mark.django_db
@pytest.mark.parametrize(("event", "effect"), EVENTS)
def test_an_event_owes_what_the_table_says(event: str, effect: str, alice: User, bob: User) -> None:
    act = _act(event, alice, bob)
    before = OwedEffect.objects.count()
    act()
    owed = list(OwedEffect.objects.order_by("pk").values_list("effect", flat=True))[before:]
    assert [".".join(name.split(".")[-2:]) for name in owed] == [effect]


def test_the_table_has_likes_comments_follows_and_messages() -> None:
    assert {event for event, _effect in EVENTS} >= {"like", "comment", "follow", "message"}
