"""Compares all social data with SQL's rows: notes, shops' scores, follows, feeds and check-ins."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from apps.blog import reconcile as notes
from apps.blog.feed import inbox_filling
from apps.blog.writing import shop_scores
from apps.follows import reconcile as follows
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


CHECKS: tuple[Callable[[bool], Iterator[Finding]], ...] = (
    _check_notes,
    _check_scores,
    _check_follows,
    _check_feeds,
    _check_check_ins,
)
