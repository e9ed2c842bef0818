"""What people can report: the apps that have notes, chats … register how each is found and hidden."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.functional import Promise

from apps.accounts.models import User
from apps.web.registry import Registry


class Subject(NamedTuple):
    """A thing that is reported: whose it is (None: of several people), what it says, and its page."""

    author_id: int | None
    excerpt: str
    url: str


class ReportableKind(ABC):
    """Finds, hides and restores things of one kind."""

    #: What one is called, such as "note".
    label: Promise | str
    #: Reasons that make no sense for it, and whether staff can hide one.
    without_reasons: frozenset[str] = frozenset()
    can_hide = True

    @abstractmethod
    def find(self, target_id: int, reader: User) -> Subject:
        """The thing, if this person may see it; Http404 or Problem 404."""

    @abstractmethod
    def hide(self, target_id: int) -> dict[str, Any]:
        """Hide it from everybody in the caller's transaction; what restoring needs to know. Http404."""

    @abstractmethod
    def restore(self, target_id: int, before: Mapping[str, Any]) -> None:
        """Bring a hidden one back in the caller's transaction; Http404 when it is gone or not hidden."""

    @abstractmethod
    def describe(self, target_id: int) -> str:
        """HTML of the thing with its context, for staff; "" when it is gone."""


#: By the word of the API: "note", "comment", "photo", "avatar", "person", "message", "chat".
KINDS: Registry[ReportableKind] = Registry("kinds of things that can be reported")
