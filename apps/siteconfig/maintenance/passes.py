"""Who is served while the site is closed: some paths for everybody, every path for staff with a pass."""

import re
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.utils import timezone

from apps.front.head_fields import find_cookie
from apps.siteconfig.maintenance.switch import Announcement

#: Name of the cookie.
PASS_COOKIE = f"{settings.HOST_COOKIE_PREFIX}maintenance_pass"
#: Seconds that a browser keeps it; it is void once this maintenance has ended.
PASS_SECONDS = 12 * 3600
#: Health, numbers, the admin and the operators' API, which ask for a log-in themselves, and the pages' files.
OPEN_PATH = re.compile(r"/(admin|static|media|api/operations)/.*|/(healthz|readyz|metrics|admin)", re.DOTALL)
_signer = Signer(salt="siteconfig.maintenance")


@dataclass(frozen=True)
class Pass:
    """What a browser with a pass is let in to: a closed site, which its owner may open, or only look at."""

    closed: Announcement
    may_open: bool

    @property
    def until(self) -> datetime | None:
        """When the site should be open again; None if unknown, or if that moment has passed."""
        until = self.closed.until
        return until if until and until > timezone.now() else None


def make_pass(closed: Announcement, *, may_open: bool = False) -> str:
    """The cookie's value that lets a browser in until this maintenance ends.

    It says whether its owner may open the site: pages of the site don't know who is logged in to the admin.
    """
    return _signer.sign(_subject(closed, may_open=may_open))


def is_admitted(path: str, cookies: str, closed: Announcement) -> bool:
    """Whether a request with this Cookie header is served although the site is closed."""
    return bool(OPEN_PATH.fullmatch(path)) or find_pass(cookies, closed) is not None


def find_pass(cookies: str, closed: Announcement) -> Pass | None:
    """The pass in a Cookie header; None without one, and for one of another maintenance."""
    value = find_cookie(cookies.encode("latin-1"), PASS_COOKIE.encode())
    if not value:
        return None
    try:
        subject = _signer.unsign(value)
    except BadSignature:
        return None
    for may_open in (False, True):
        if subject == _subject(closed, may_open=may_open):
            return Pass(closed, may_open)
    return None


def _subject(closed: Announcement, *, may_open: bool) -> str:
    return closed.since.strftime("%Y%m%d%H%M%S%f") + (".open" if may_open else "")
