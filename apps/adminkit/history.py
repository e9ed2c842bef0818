"""The admin's log entries for changes that managers make by buttons instead of forms."""

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django.http import HttpRequest


def record_added(request: HttpRequest, row: Model) -> None:
    """Log that the manager created a row."""
    _record(request, row, ADDITION, "")


def record_changed(request: HttpRequest, row: Model, what: str) -> None:
    """Log what the manager did to a row."""
    _record(request, row, CHANGE, what)


def record_export(request: HttpRequest, model: type[Model], name: str, what: str) -> None:
    """Log that the manager downloaded rows of a table as file `name`; `what` says which rows."""
    LogEntry.objects.create(
        user_id=_manager_id(request),
        content_type=ContentType.objects.get_for_model(model),
        object_repr=name,
        action_flag=CHANGE,
        change_message=what,
    )


def record_event(user_id: int, name: str, what: str) -> None:
    """Log what happened to a manager's account, or what they did to no row of a table."""
    LogEntry.objects.create(user_id=user_id, object_repr=name[:200], action_flag=CHANGE, change_message=what)


def _record(request: HttpRequest, row: Model, kind: int, what: str) -> None:
    LogEntry.objects.log_actions(_manager_id(request), [row], kind, what, single_object=True)


def _manager_id(request: HttpRequest) -> int:
    assert request.user.pk is not None, "the admin requires a log-in"
    return request.user.pk
