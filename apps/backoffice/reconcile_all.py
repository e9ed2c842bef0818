"""All that people leave behind held against SQL's rows: notes, follows, feeds, sign-ins and shops' scores."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from apps.blog import reconcile as notes
from apps.blog.feed import inbox_filling
from apps.blog.writing import shop_scores
from apps.follows import reconcile as follows
from apps.signins import reconcile as sign_ins


@dataclass(frozen=True)
class Finding:
    """What one thing of one subject says ("held"), and what the rows say."""

    subject: str
    whose: str
    what: str
    held: str
    rows: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.what} of {self.whose} is {self.held or 'nothing'}, not {self.rows}"


def drift(*, fix: bool = False) -> Iterator[Finding]:
    """Everything that disagrees with the rows; with `fix` it is right afterwards.

    Raises client.UNAVAILABLE without Redis.
    """
    for check in CHECKS:
        yield from check(fix)


def _check_notes(fix: bool) -> Iterator[Finding]:
    for one in notes.drift(fix=fix):
        yield Finding("notes", f"note {one.note_id}", one.what, one.held, one.rows)


def _check_scores(fix: bool) -> Iterator[Finding]:
    for one in shop_scores.drift(fix=fix):
        yield Finding("scores", f"shop {one.shop_id}", "rating / reviews", one.held, one.rows)


def _check_follows(fix: bool) -> Iterator[Finding]:
    for one in follows.drift(fix=fix):
        yield Finding("follows", f"person {one.user_id}", one.what, one.held, one.rows)


def _check_feeds(fix: bool) -> Iterator[Finding]:
    for one in inbox_filling.drift(fix=fix):
        lacking = ", ".join(map(str, one.missing[:5])) + (" …" if len(one.missing) > 5 else "")
        yield Finding("feeds", f"person {one.reader_id}", "inbox", "", f"notes {lacking}")


def _check_daily_check_ins(fix: bool) -> Iterator[Finding]:
    for one in sign_ins.drift(fix=fix):
        yield Finding("sign-ins", f"person {one.user_id}", one.what, one.held, one.rows)


CHECKS: tuple[Callable[[bool], Iterator[Finding]], ...] = (
    _check_notes,
    _check_scores,
    _check_follows,
    _check_feeds,
    _check_daily_check_ins,
)
