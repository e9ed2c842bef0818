"""Who reads a live stream: the person of a cookie or a bearer token."""

from collections.abc import Callable, Mapping

from apps.accounts.sessions import scopes, tokens
from apps.accounts.sessions.scopes import Scope
from apps.accounts.sessions.tokens import Login
from apps.front.live.route import LiveRequest, Plan
from apps.front.live.topics import Topic, everybody_topic, person_topic
from apps.web.problems.ids import MAX_ROW_ID

PATH = "/api/live"
#: Sales that one page may look at.
MAX_SALES = 10
#: The further topics of a person's stream, by the person's id.
ListTopics = Callable[[int], list[Topic]]


def find_login(fields: Mapping[bytes, bytes], scope: Scope) -> Login | None:
    """The log-in, or the program's token of this scope, that a request's fields bring."""
    token = tokens.find_sent(fields)
    return tokens.resolve(token) if token and scope in scopes.find(token) else None


def plan(request: LiveRequest, list_topics: ListTopics) -> Plan | None:
    """A person's stream: what is told to them, to everybody, and in further topics; `sales` names sales."""
    login = find_login(request.fields, Scope.READ)
    if login is None:
        return None
    topics = (person_topic(login.user_id), everybody_topic(), *list_topics(login.user_id))
    return Plan(user_id=login.user_id, topics=topics, subjects=_parse_sales(request.params.get("sales", "")))


def _parse_sales(text: str) -> tuple[int, ...]:
    numbers = [int(part) for part in text.split(",") if part.isascii() and part.isdigit() and len(part) < 20]
    return tuple(number for number in numbers if 0 < number <= MAX_ROW_ID)[:MAX_SALES]
