"""Closes the site for maintenance and opens it again.

The truth is one string in Redis, because the switch must work while SQL is migrated; rows in SQL are its
history. Each process reads the string once a second (site_state), so that a request costs one look at an
attribute. While Redis is away the site is open: a lost Redis must not close a healthy site.
Source: Redis in Action, chapter 5.4.1.
"""

import logging
from datetime import datetime, timedelta
from typing import cast

from django.db import DatabaseError, transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from apps.adminkit import history
from apps.front import gate
from apps.redis_kit import client
from apps.siteconfig import keys
from apps.siteconfig.models import MaintenanceChange
from apps.web import in_language
from apps.web.problems import Problem

#: Seconds after which a client asks again when no end is known, or when the end has passed.
DEFAULT_RETRY_SECONDS = 30
#: The longest that a client is told to wait: maintenance may end early.
MAX_RETRY_SECONDS = 600

log = logging.getLogger(__name__)


class MaintenanceProblem(Problem):
    """503: the site is closed; `until` is when it should be open again, or None."""

    def __init__(self, detail: str, *, retry_after: float, until: datetime | None) -> None:
        until_text = until.isoformat() if until else None
        super().__init__(503, "maintenance", detail, retry_after=retry_after, until=until_text)
        self.until = until


class Announcement(BaseModel):
    """One maintenance: since when, expected until when, the operator's own words, and who began it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    since: AwareDatetime
    until: AwareDatetime | None = None
    text_en: str = ""
    text_zh: str = ""
    changed_by: str = ""

    @property
    def text(self) -> str:
        """The operator's words in the active language, or else the site's own."""
        given = in_language.choose(self.text_en, self.text_zh)
        return given or _("We are working on the site. Orders and payments are safe.")

    def as_problem(self) -> MaintenanceProblem:
        """The refusal of a request, in the active language."""
        now = timezone.now()
        left = self.until - now if self.until and self.until > now else timedelta(0)
        wait = min(left.total_seconds(), MAX_RETRY_SECONDS) or DEFAULT_RETRY_SECONDS
        return MaintenanceProblem(self.text, retry_after=wait, until=self.until if left else None)


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


def record_change(request: HttpRequest, what: str) -> None:
    """Add to the audit log, if SQL takes it: it may be what the maintenance is about."""
    try:
        history.record_event(request.user.pk or 0, str(request.user), what)
    except DatabaseError:
        log.exception("the maintenance switch was changed, but SQL did not take the note of it")
