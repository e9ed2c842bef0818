"""What a page's request says: by whom, through what, and about which row."""

from django.http import HttpRequest

from apps.accounts.models import User
from apps.web.problems.ids import MAX_ROW_ID


def user_or_none(request: HttpRequest) -> User | None:
    """Who looks; None for a visitor."""
    return request.user if isinstance(request.user, User) and request.user.is_authenticated else None


def is_htmx(request: HttpRequest) -> bool:
    """Whether a part of the page is wanted, not all of it."""
    return "HX-Request" in request.headers


def parse_row_id(text: str | None) -> int:
    """A row's id out of a form or a query; 0 for what is none."""
    digits = text or ""
    is_number = digits.isascii() and digits.isdigit() and len(digits) < 20
    return int(digits) if is_number and int(digits) <= MAX_ROW_ID else 0
