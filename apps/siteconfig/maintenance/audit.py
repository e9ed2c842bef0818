"""Notes in the audit log who has changed the maintenance switch."""

import logging

from django.db import DatabaseError
from django.http import HttpRequest

from apps.adminkit import history

log = logging.getLogger(__name__)


def record(request: HttpRequest, what: str) -> None:
    """Add to the audit log, if SQL takes it: it may be what the maintenance is about."""
    try:
        history.record_event(request.user.pk or 0, str(request.user), what)
    except DatabaseError:
        log.exception("the maintenance switch was changed, but SQL did not take the note of it")
