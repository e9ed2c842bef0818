"""People who look at pages, and what was counted of them."""

from datetime import date
from typing import Any

from django.test import Client

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import cookies, tokens
from apps.redis_kit import client as redis_client
from apps.uv import counting, days, keys, visits

AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36"


class Browser(Client):
    """Looks at the next page once the last one is counted."""

    def request(self, **request: Any) -> Any:
        answer = super().request(**request)
        counting.flush()
        return answer


def new_browser(user: User | None = None, /, **headers: str) -> Browser:
    """A browser of its own, without cookies; or one in which somebody has logged in."""
    made = Browser(headers={"User-Agent": AGENT} | headers)
    if user:
        made.cookies[cookies.TOKEN_COOKIE] = tokens.issue(user, kind=AccessToken.Kind.PAGE)
    return made


def read_counts(scope: str = "site", object_id: int = 0, *, day: date | None = None) -> tuple[int, int]:
    """(visitors, page views) that Redis holds of a day."""
    held, when = redis_client.get(), day or days.today()
    field = str(object_id) if object_id else "all"
    views: Any = held.hget(keys.VIEWS(scope=scope, day=str(when)), field)
    visitors: Any = held.pfcount(visits.visitors_key(scope, object_id, when))
    return visitors, int(views or 0)
