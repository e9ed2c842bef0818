"""Who reads a live stream: the person of a cookie or a bearer token."""

from collections.abc import Mapping

from apps.accounts.sessions import cookies, tokens
from apps.accounts.sessions.tokens import Login
from apps.front.head_fields import find_cookie
from apps.front.live.server import LiveRequest, Plan
from apps.front.live.topics import TOPICS, everybody_topic, person_topic
from apps.web.problems.ids import MAX_ROW_ID

PATH = "/api/live"
#: Sales that one page may look at.
MAX_SALES = 10


def find_login(headers: Mapping[str, str]) -> Login | None:
    """The log-in of a request's headers: an Authorization header alone decides, else the cookie."""
    kind, _, raw = headers.get("authorization", "").partition(" ")
    if kind:
        return tokens.resolve(raw) if kind.lower() == "bearer" else None
    token = find_cookie(headers.get("cookie", "").encode("latin-1"), cookies.TOKEN_COOKIE.encode())
    return tokens.resolve(token) if token else None


def plan(request: LiveRequest) -> Plan | None:
    """A person's stream: what is told to them, to everybody, and in their chats; `sales` names sales."""
    login = find_login(request.headers)
    if login is None:
        return None
    further = [topic for topics in TOPICS.call_each(login.user_id) for topic in topics]
    topics = (person_topic(login.user_id), everybody_topic(), *further)
    return Plan(user_id=login.user_id, topics=topics, subjects=_parse_sales(request.params.get("sales", "")))


def _parse_sales(text: str) -> tuple[int, ...]:
    numbers = [int(part) for part in text.split(",") if part.isascii() and part.isdigit() and len(part) < 20]
    return tuple(number for number in numbers if 0 < number <= MAX_ROW_ID)[:MAX_SALES]
