"""Reports in the demo: some of each kind that wait, one objection, and a moderator who decides them."""

from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from apps.accounts.models import User
from apps.accounts.staff import role_groups
from apps.adminkit.roles import Role
from apps.blog.models import Comment, Note, Photo
from apps.chat.models import Message
from apps.demo.logins import MANAGER_PASSWORD, MODERATOR_PHONE
from apps.demo.social.roles import Roles
from apps.moderation import decisions, reports
from apps.moderation.models import Case

#: (kind of thing, number of it, reasons with words of those who report it, one person each).
PLANS = (
    ("note", 3, (("fake", "Nobody I know had this dish there"), ("spam", ""), ("fake", "写得像广告"))),
    ("note", 8, (("shop", "This is the branch by the lake, not this one"),)),
    ("photo", 5, (("sexual", "Not what I want to see beside a menu"), ("other", "照片里有我，没有问过我"))),
    ("comment", 2, (("insult", ""), ("insult", "He says this to everybody"))),
    ("comment", 6, (("spam", "卖会员卡的"),)),
    ("person", 40, (("insult", "The name insults somebody"),)),
)
OBJECTION = "I paid for the meal myself and only repeat what the waiter said."


def make() -> int:
    """Make the moderator with DEMO or DEBUG, and reports if there are none; returns how many are new."""
    moderator = _make_moderator()
    if Case.objects.exists():
        return 0
    roles = Roles.load()
    people = list(User.objects.filter(pk__in=roles.everybody[100:120]).order_by("pk"))
    for kind, number, complaints in PLANS:
        target_id = _find(kind, number, roles)
        for reporter, (reason, words) in zip(people, complaints, strict=False):
            if target_id and reporter.pk != target_id:
                reports.report(reporter, kind, target_id, reason=reason, text=words)
    _report_message(User.objects.get(pk=roles.customer_id))
    if moderator:
        _make_objection(people[0], moderator, roles)
    return Case.objects.count()


def _make_moderator() -> User | None:
    """With DEMO or DEBUG, a person who decides reports in the admin."""
    if not (settings.DEMO or settings.DEBUG):
        return None
    known = User.objects.filter(phone=MODERATOR_PHONE).first()
    if known:
        return known
    user = User.objects.create_user(MODERATOR_PHONE, MANAGER_PASSWORD, nickname="Moderator", city="Hangzhou")
    role_groups.grant(user, Role.MODERATOR)
    return user


def _find(kind: str, number: int, roles: Roles) -> int | None:
    if kind == "person":
        return roles.everybody[number]
    rows: QuerySet[Any] = {
        "note": Note.objects.published(),
        "photo": Photo.objects.filter(note__status=Note.Status.PUBLISHED),
        "comment": Comment.objects.visible().filter(note__status=Note.Status.PUBLISHED),
    }[kind]
    theirs = {"photo": "owner"}.get(kind, "author")
    others = rows.exclude(**{f"{theirs}__in": roles.everybody[100:120]}).order_by("pk")
    return next(iter(others.values_list("pk", flat=True)[number : number + 1]), None)


def _report_message(customer: User) -> None:
    """The customer reports a message that a person wrote to them."""
    theirs = Message.objects.filter(chat__members__user=customer, kind=Message.Kind.TEXT, deleted_at=None)
    message = theirs.exclude(author=customer).exclude(author=None).order_by("pk").first()
    if message:
        reports.report(customer, "message", message.pk, reason="spam", text="I asked for nothing")


def _make_objection(reporter: User, moderator: User, roles: Roles) -> None:
    """A hidden comment whose author disagrees."""
    target_id = _find("comment", 12, roles)
    if target_id is None:
        return
    made = reports.report(reporter, "comment", target_id, reason="spam").report
    hiding = decisions.decide(made.case_id, moderator, is_hidden=True, reason="Advertising for another shop")
    author = made.case.author
    if author:
        decisions.object_to(author, hiding.pk, OBJECTION)
