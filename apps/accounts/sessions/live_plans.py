"""Who reads a live stream: the person of a cookie or a bearer token."""

from collections.abc import Mapping

from apps.accounts.sessions import tokens
from apps.accounts.sessions.tokens import Login
from apps.front.live.server import LiveRequest, Plan
from apps.front.live.topics import TOPICS, everybody_topic, person_topic
from apps.web.problems.ids import MAX_ROW_ID

PATH = "/api/live"
#: Sales that one page may look at.
MAX_SALES = 10


def find_login(fields: Mapping[bytes, bytes]) -> Login | None:
    """The log-in that a request's fields bring."""
    token = tokens.find_sent(fields)
    return tokens.resolve(token) if token else None


def plan(request: LiveRequest) -> Plan | None:
    """The topics of a person's stream (own, everybody's, their chats) and its `sales`; None for a visitor."""
    login = find_login(request.fields)
    if login is None:
        return None
    further = [topic for topics in TOPICS.call_each(login.user_id) for topic in topics]
    topics = (person_topic(login.user_id), everybody_topic(), *further)
    return Plan(user_id=login.user_id, topics=topics, subjects=_parse_sales(request.params.get("sales", "")))


def _parse_sales(text: str) -> tuple[int, ...]:
    numbers = [int(part) for part in text.split(",") if part.isascii() and part.isdigit() and len(part) < 20]
    return tuple(number for number in numbers if 0 < number <= MAX_ROW_ID)[:MAX_SALES]
