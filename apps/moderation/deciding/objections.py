"""What staff decided about a person's own things, and the one objection to each decision."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.moderation.deciding import decisions
from apps.moderation.models import Case, Decision
from apps.web import characters
from apps.web.problems import Problem


def list_mine(user: User) -> QuerySet[Decision]:
    """The decisions about this person and their things, the newest first."""
    return decisions.against(user.pk)


def find_mine(user: User, decision_id: int) -> Decision:
    """A decision about this person or their thing; Problem 404."""
    found = list_mine(user).filter(pk=decision_id).first()
    if found is None:
        raise Problem(404, "not_found", _("There is no such decision about you."))
    return found


def can_object(decision: Decision) -> bool:
    """Whether an objection is still possible."""
    return decision.objected_at is None and decision.undone_at is None


def object_to(user: User, decision_id: int, text: str) -> Decision:
    """Object to a decision: the case goes back to staff.

    ValidationError for an empty text; Problem 404, 409 objected | undone.
    """
    decision = find_mine(user, decision_id)
    decision.objection = text
    decision.clean_fields(exclude={field.name for field in Decision._meta.fields} - {"objection"})
    if not characters.has_visible_characters(decision.objection):
        raise ValidationError({"text": _("Say in a few words why.")})
    if decision.undone_at:
        raise Problem(409, "undone", _("This decision is undone: there is nothing to object to."))
    with transaction.atomic():
        rows = Decision.objects.filter(pk=decision_id, objected_at=None, undone_at=None)
        now = timezone.now()
        if not rows.update(objection=decision.objection, objected_at=now):
            raise Problem(409, "objected", _("You objected already. One objection is possible."))
        case = Case.objects.select_for_update(no_key=True).get(pk=decision.case_id)
        opened_at = case.opened_at if case.state == Case.State.OPEN else now
        Case.objects.filter(pk=case.pk).update(state=Case.State.OPEN, has_objection=True, opened_at=opened_at)
    decision.objected_at = now
    return decision
