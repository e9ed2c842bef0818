"""Closes the site for maintenance and opens it again.

The truth is one string in Redis, because the switch must work while SQL is migrated; rows in SQL are its
history. Each process reads the string once a second (site_state), so that a request costs one look at an
attribute. While Redis is away the site is open: a lost Redis must not close a healthy site.
Source: Redis in Action, chapter 5.4.1.
"""

import logging
from datetime import datetime
from typing import cast

from django.db import DatabaseError, transaction
from django.utils import timezone
from pydantic import ValidationError

from apps.front import gate
from apps.redis_kit import client
from apps.siteconfig import keys
from apps.siteconfig.maintenance.announcements import Announcement
from apps.siteconfig.models import MaintenanceChange

log = logging.getLogger(__name__)


class Switch(gate.Switch):
    """`closed` is the maintenance that is on, None while the site is open; the poller keeps it up to date."""

    closed: Announcement | None = None

    def load(self, raw: str | None) -> None:
        """Take over what Redis holds; a text that is no announcement leaves the site open."""
        if raw is None:
            self.closed = None
            return
        try:
            found = Announcement.model_validate_json(raw)
        except ValidationError:
            log.exception("%s holds no announcement: the site stays open", keys.MAINTENANCE())
            found = None
        # The same object while nothing changes: answers are kept by it.
        if found != self.closed:
            self.closed = found


#: The one of this process.
switch = Switch()


def read() -> Announcement | None:
    """The maintenance that is on, straight from Redis; raises client.UNAVAILABLE."""
    switch.load(cast(str | None, client.get().get(keys.MAINTENANCE())))
    return switch.closed


def close_site(
    *, until: datetime | None, changed_by: str, text_en: str = "", text_zh: str = ""
) -> Announcement:
    """Answer 503 from now on, or change what is announced; nothing changes with client.UNAVAILABLE."""
    already = read()
    made = Announcement(
        since=already.since if already else timezone.now(),
        until=until,
        text_en=text_en,
        text_zh=text_zh,
        changed_by=changed_by,
    )
    client.get().set(keys.MAINTENANCE(), made.model_dump_json())
    switch.closed = made
    _record(
        MaintenanceChange(is_on=True, until=until, text_en=text_en, text_zh=text_zh, changed_by=changed_by)
    )
    return made


def open_site(*, changed_by: str) -> bool:
    """Serve everybody again; False when the site was open. Raises client.UNAVAILABLE."""
    was_closed = bool(client.get().delete(keys.MAINTENANCE()))
    switch.closed = None
    if was_closed:
        _record(MaintenanceChange(is_on=False, changed_by=changed_by))
    return was_closed


def _record(change: MaintenanceChange) -> None:
    """Note the change in SQL, if SQL takes it: it may be what the maintenance is about."""
    try:
        with transaction.atomic():
            change.save()
    except DatabaseError:
        log.exception("the maintenance switch was changed, but SQL did not take the note of it")
