"""Who reads a live stream: the person of a cookie or a bearer token."""

from collections.abc import Callable

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


def check_scope(request: LiveRequest, scope: Scope) -> Login | None:
    """The log-in that the request brings, or the program's token if it has this scope."""
    login = request.log_in
    return login if isinstance(login, Login) and scope in login.scopes else None


def plan(request: LiveRequest, list_topics: ListTopics) -> Plan | None:
    """A person's stream: what is told to them, to everybody, and in further topics; `sales` names sales."""
    login = check_scope(request, Scope.READ)
    if login is None:
        return None
    topics = (person_topic(login.user_id), everybody_topic(), *list_topics(login.user_id))
    return Plan(user_id=login.user_id, topics=topics, subjects=_parse_sales(request.params.get("sales", "")))


def _parse_sales(text: str) -> tuple[int, ...]:
    numbers = [int(part) for part in text.split(",") if part.isascii() and part.isdigit() and len(part) < 20]
    return tuple(number for number in numbers if 0 < number <= MAX_ROW_ID)[:MAX_SALES]
