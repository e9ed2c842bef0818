"""Compares with SQL's rows what other stores and counts say, app by app, the search index last."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from apps.ads import reconcile as ads
from apps.blog import reconcile as notes
from apps.blog.feed import inbox_filling
from apps.blog.writing import shop_scores
from apps.chat import reconcile as chats
from apps.follows import reconcile as follows
from apps.mailbox import reconcile as mailbox
from apps.search.index import reconcile as search
from apps.signins import reconcile as check_ins


@dataclass(frozen=True)
class Finding:
    """A difference: subject ("notes"), owner ("note 7"), aspect ("likes"), actual and expected value."""

    subject: str
    owner: str
    aspect: str
    actual: str
    expected: str

    def __str__(self) -> str:
        actual = self.actual or "nothing"
        return f"{self.subject}: {self.aspect} of {self.owner} is {actual}, not {self.expected}"


def drift(*, fix: bool = False) -> Iterator[Finding]:
    """Yield every difference from SQL's rows.

    `fix` repairs them. Raises client.UNAVAILABLE without Redis.
    """
    for check in CHECKS:
        yield from check(fix)


def _check_notes(fix: bool) -> Iterator[Finding]:
    for found in notes.drift(fix=fix):
        yield Finding("notes", f"note {found.note_id}", found.aspect, found.actual, found.expected)


def _check_scores(fix: bool) -> Iterator[Finding]:
    for found in shop_scores.drift(fix=fix):
        yield Finding("scores", f"shop {found.shop_id}", "rating / reviews", found.actual, found.expected)


def _check_follows(fix: bool) -> Iterator[Finding]:
    for found in follows.drift(fix=fix):
        yield Finding("follows", f"person {found.user_id}", found.aspect, found.actual, found.expected)


def _check_feeds(fix: bool) -> Iterator[Finding]:
    for found in inbox_filling.drift(fix=fix):
        missing = ", ".join(map(str, found.missing[:5])) + (" …" if len(found.missing) > 5 else "")
        yield Finding("feeds", f"person {found.reader_id}", "inbox", "", f"notes {missing}")


def _check_check_ins(fix: bool) -> Iterator[Finding]:
    for found in check_ins.drift(fix=fix):
        yield Finding("check-ins", f"person {found.user_id}", found.aspect, found.actual, found.expected)


def _check_ads(fix: bool) -> Iterator[Finding]:
    for found in ads.drift(fix=fix):
        yield Finding("ads", found.owner, found.aspect, found.actual, found.expected)


def _check_mailbox(fix: bool) -> Iterator[Finding]:
    for found in mailbox.drift(fix=fix):
        yield Finding("notifications", f"person {found.user_id}", found.aspect, found.actual, found.expected)


def _check_chats(fix: bool) -> Iterator[Finding]:
    for found in chats.drift(fix=fix):
        yield Finding("chats", f"chat {found.chat_id}", found.aspect, found.actual, found.expected)


def _check_search(fix: bool) -> Iterator[Finding]:
    for found in search.drift(fix=fix):
        owner = f"{found.kind} {found.document_id}" if found.document_id else found.kind
        yield Finding("search", owner, "version", found.actual, found.expected or "nothing")


CHECKS: tuple[Callable[[bool], Iterator[Finding]], ...] = (
    _check_notes,
    _check_scores,
    _check_follows,
    _check_feeds,
    _check_check_ins,
    _check_ads,
    _check_mailbox,
    _check_chats,
    _check_search,
)
