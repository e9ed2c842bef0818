"""A moderator, and things to report."""

import pytest
from django.contrib.auth.models import Permission

from apps.accounts.models import User
from apps.blog.models import Comment, Note, Photo
from apps.chat import chats, messages
from apps.chat.models import Chat, Message
from apps.moderation import reports
from apps.moderation.models import Case
from tests.blog import makers
from tests.factories import CommentFactory, UserFactory

PERMISSIONS = ("decide_report", "view_case", "view_decision")


@pytest.fixture
def moderator(db: None) -> User:
    """Staff that may decide reports and nothing else."""
    user = UserFactory.create(nickname="Mo", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=PERMISSIONS))
    return user


@pytest.fixture
def note(bob: User) -> Note:
    """Bob's note with two photos."""
    return makers.note(bob, photos=2)


@pytest.fixture
def photo(note: Note) -> Photo:
    return note.photos.all()[1]


@pytest.fixture
def comment(note: Note, bob: User) -> Comment:
    """Bob's comment on his note."""
    made = CommentFactory.create(note=note, author=bob, text="Buy cheap watches")
    Note.objects.filter(pk=note.pk).update(comments=1)
    return made


@pytest.fixture
def chat(alice: User, bob: User) -> Chat:
    return chats.open_with(alice.pk, bob.pk)


@pytest.fixture
def message(chat: Chat, bob: User) -> Message:
    """Bob's message to Alice."""
    return messages.post(bob.pk, chat.pk, "Buy cheap watches")


@pytest.fixture
def case(note: Note, alice: User) -> Case:
    """Alice reported Bob's note."""
    return reports.report(alice, "note", note.pk, reason="spam").report.case
