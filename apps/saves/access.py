"""A list, if this person may see or change it; to anybody else it looks as if there were none."""

from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.relations import blocks
from apps.saves.models import UNDO_PERIOD, SaveList
from apps.web.problems import Problem


def own_list(list_id: int, user_id: int) -> SaveList:
    """A list of this person's own; Problem 404."""
    found = SaveList.objects.select_related("owner").filter(pk=list_id, owner=user_id).first()
    if found is None:
        raise _not_found()
    return found


def own_deleted_list(list_id: int, user_id: int) -> SaveList:
    """A list that this person deleted and may still restore; Problem 404."""
    since = timezone.now() - UNDO_PERIOD
    rows = SaveList.with_deleted.select_related("owner").filter(owner=user_id, deleted_at__gt=since)
    found = rows.filter(pk=list_id).first()
    if found is None:
        raise _not_found()
    return found


def visible_list(list_id: int, viewer_id: int | None) -> SaveList:
    """A public list, or the viewer's own; Problem 404, also where one of the two blocked the other."""
    found = SaveList.objects.select_related("owner").filter(pk=list_id, owner__is_active=True).first()
    if found is None or (found.owner_id != viewer_id and not _is_shown(found, viewer_id)):
        raise _not_found()
    return found


def _is_shown(found: SaveList, viewer_id: int | None) -> bool:
    return found.is_public and not (viewer_id and blocks.are_apart(viewer_id, found.owner_id))


def _not_found() -> Problem:
    return Problem(404, "not_found", _("There is no such list, or only its owner sees it."))
