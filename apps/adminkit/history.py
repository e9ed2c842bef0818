"""The admin's own history of what people pressed."""

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.db.models import Model
from django.http import HttpRequest


def record_added(request: HttpRequest, row: Model) -> None:
    """Note that a person made a row."""
    _record(request, row, ADDITION, "")


def record_changed(request: HttpRequest, row: Model, what: str) -> None:
    """Note what a person did to a row."""
    _record(request, row, CHANGE, what)


def _record(request: HttpRequest, row: Model, kind: int, what: str) -> None:
    assert request.user.pk is not None, "the admin lets nobody in without a log-in"
    LogEntry.objects.log_actions(request.user.pk, [row], kind, what, single_object=True)
