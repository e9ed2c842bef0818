"""Who is served while the site is closed: some paths for everybody, every path for staff with a pass."""

import re

from django.conf import settings
from django.core.signing import BadSignature, Signer

from apps.front.head_fields import find_cookie
from apps.siteconfig.maintenance.announcements import Announcement

#: Name of the cookie.
PASS_COOKIE = f"{settings.HOST_COOKIE_PREFIX}maintenance_pass"
#: Seconds that a browser keeps it; it is void once this maintenance has ended.
PASS_SECONDS = 12 * 3600
#: Health, numbers, the admin and the operators' API, which ask for a log-in themselves, and the pages' files.
OPEN_PATH = re.compile(r"/(admin|static|media|api/operations)/.*|/(healthz|readyz|metrics|admin)", re.DOTALL)
_signer = Signer(salt="siteconfig.maintenance")


def make_pass(closed: Announcement) -> str:
    """The cookie's value that lets a browser in until this maintenance ends."""
    return _signer.sign(_subject(closed))


def is_admitted(path: str, cookies: str, closed: Announcement) -> bool:
    """Whether a request with this Cookie header is served although the site is closed."""
    if OPEN_PATH.fullmatch(path):
        return True
    value = find_cookie(cookies.encode("latin-1"), PASS_COOKIE.encode())
    return bool(value) and _is_valid(value, closed)


def _is_valid(value: str, closed: Announcement) -> bool:
    try:
        return _signer.unsign(value) == _subject(closed)
    except BadSignature:
        return False


def _subject(closed: Announcement) -> str:
    return closed.since.strftime("%Y%m%d%H%M%S%f")
