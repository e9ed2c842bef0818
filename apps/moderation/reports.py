"""Reports: people complain about a thing, and see what became of it."""

from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.moderation import limits
from apps.moderation.kinds import KINDS, ReportableKind, Subject
from apps.moderation.models import MAX_EXCERPT_LENGTH, Case, Reason, Report
from apps.web import characters, paging
from apps.web.problems import Problem

PAGE_SIZE = 20


class MadeReport(NamedTuple):
    """A report, and whether it is new."""

    report: Report
    is_new: bool


def find(kind: str, target_id: int, reader: User) -> Subject:
    """The thing that a person wants to report. Problem 404, 409 own_thing."""
    try:
        subject = require_kind(kind).find(target_id, reader)
    except Http404:
        raise not_found() from None
    if subject.author_id == reader.pk:
        raise Problem(409, "own_thing", _("You can't report what is your own."))
    return subject


def report(reporter: User, kind: str, target_id: int, *, reason: str, text: str = "") -> MadeReport:
    """Report a thing; while the person's report is open, again changes nothing.

    ValidationError; Problem 404, 409 own_thing, 429.
    """
    subject = find(kind, target_id, reporter)
    made = Report(reporter=reporter, reason=reason, text=text)
    _clean(made, kind)
    if known := find_open(reporter.pk, kind, target_id):
        return MadeReport(known, is_new=False)
    limits.charge_report(reporter.pk)
    with transaction.atomic():
        case = _open_case(kind, target_id, subject)
        found, is_new = Report.objects.get_or_create(
            case=case, reporter=reporter, decision=None, defaults={"reason": made.reason, "text": made.text}
        )
        if is_new:
            Case.objects.filter(pk=case.pk).update(report_count=F("report_count") + 1)
    return MadeReport(found, is_new)


def find_open(user_id: int, kind: str, target_id: int) -> Report | None:
    """A person's undecided report of a thing, or None."""
    rows = Report.objects.open().filter(case__kind=kind, case__target_id=target_id, reporter=user_id)
    return rows.select_related("case").first()


def list_mine(user_id: int, *, cursor: str = "", size: int = PAGE_SIZE) -> paging.Page[Report]:
    """A page of a person's reports with case and decision, the newest first; BadCursor."""
    rows = Report.objects.filter(reporter=user_id).select_related("case", "decision")
    return paging.fetch_page(rows, order=("-id",), types=(int,), cursor=cursor, size=size)


def require_kind(kind: str) -> ReportableKind:
    """The kind of that word; Problem 404."""
    found = KINDS.get(kind)
    if found is None:
        raise not_found()
    return found


def list_reasons(kind: str) -> list[tuple[str, str]]:
    """(value, label) of the reasons for which a thing of this kind can be reported."""
    without = require_kind(kind).without_reasons
    return [(value, str(label)) for value, label in Reason.choices if value not in without]


def not_found() -> Problem:
    """The refusal for a thing that there is not, that is gone, or that the person can't see."""
    return Problem(404, "not_found", _("This is no longer there: nothing is left to report."))


def _clean(made: Report, kind: str) -> None:
    made.clean_fields(exclude={"case", "reporter", "decision"})
    if made.reason in require_kind(kind).without_reasons:
        raise ValidationError({"reason": _("Choose one of the reasons.")})
    if made.reason == Reason.OTHER and not characters.has_visible_characters(made.text):
        raise ValidationError({"text": _("Say in a few words what is wrong.")})


def _open_case(kind: str, target_id: int, subject: Subject) -> Case:
    """The thing's case, locked and open."""
    about = {"author_id": subject.author_id, "excerpt": subject.excerpt[:MAX_EXCERPT_LENGTH]}
    Case.objects.get_or_create(kind=kind, target_id=target_id, defaults=about)
    case = Case.objects.select_for_update(no_key=True, of=("self",)).get(kind=kind, target_id=target_id)
    if case.state == Case.State.DECIDED:
        again = about | {"state": Case.State.OPEN, "opened_at": timezone.now()}
        Case.objects.filter(pk=case.pk).update(**again)
    return case
