"""Reports of chats and messages: members make them, staff hides the message or dismisses them."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.chat import access, limits, telling
from apps.chat.mentions import recorded
from apps.chat.models import Member, Message, Report
from apps.web import on_commit
from apps.web.problems import Problem

#: Messages before and after a reported one that staff sees with it.
CONTEXT_MESSAGES = 5


def report(user_id: int, chat_id: int, *, number: int = 0, reason: str, text: str = "") -> Report:
    """Report a chat, or one message of it; again changes nothing. ValidationError, Problem 404, 422, 429."""
    member = access.member(user_id, chat_id)
    message = find_message(member, number) if number else None
    made = Report(chat_id=chat_id, message=message, reporter_id=user_id, reason=reason, text=text)
    made.excerpt = message.text if message else ""
    made.clean_fields(exclude={"chat", "message", "reporter", "decided_by"})
    known = Report.objects.filter(chat=chat_id, message=message, reporter=user_id).first()
    if known:
        return known
    limits.charge_report(user_id)
    made.save()
    return made


def find_message(member: Member, number: int) -> Message:
    """A message that the member may read and did not write; Problem 404."""
    rows = Message.objects.with_people().filter(
        chat=member.chat_id, number=number, number__gt=member.joined_number, kind=Message.Kind.TEXT
    )
    found = rows.exclude(author=member.user_id).first()
    if found is None or found.is_gone:
        raise Problem(404, "not_found", _("There is no such message."))
    return found


def hide_message(report: Report, *, staff: User) -> None:
    """Hide the reported message from everybody, and decide every open report about it. Problem 409."""
    message = report.message
    if message is None:
        raise Problem(409, "no_message", _("This report is about a whole chat."))
    with transaction.atomic():
        recorded.take_back(message)
        Message.objects.filter(pk=message.pk, hidden_at=None).update(hidden_at=timezone.now())
        about = Report.objects.filter(message=message, state=Report.State.OPEN)
        about.update(state=Report.State.HIDDEN, decided_by=staff, decided_at=timezone.now())
        change = {"kind": "deleted", "number": message.number}
        on_commit.run_after_commit(telling.tell_change, message.chat_id, change)


def dismiss(report: Report, *, staff: User) -> None:
    """Decide that nothing is wrong."""
    rows = Report.objects.filter(pk=report.pk, state=Report.State.OPEN)
    rows.update(state=Report.State.DISMISSED, decided_by=staff, decided_at=timezone.now())


def load_context(report: Report) -> list[Message]:
    """The reported message between its neighbours; the newest ones for a report about a chat."""
    rows = Message.objects.with_people().filter(chat=report.chat_id)
    if report.message is None:
        return list(rows.order_by("-number")[: 2 * CONTEXT_MESSAGES])[::-1]
    number = report.message.number
    around = (number - CONTEXT_MESSAGES, number + CONTEXT_MESSAGES)
    return list(rows.filter(number__range=around).order_by("number"))
