"""What the event loop answers for search: suggestions, and refusals of who searches too much.

Suggestions are asked for at each key stroke. A thread finds them by the same verb as the API's view, without
Django's middleware and the checks of a schema, which cost more than finding does; whatever is unusual about a
request, and every refusal, is left to the view.

Refusals are in Django's words. Django charges the limit of an address or a person and refuses the first
request (search.limits); until its time is over, further ones cost no thread and no page. A visitor's cost no
exchange with Redis either; who brings a log-in is looked up, for a forged one is a visitor's, and a person's
limit is their own.
"""

import json
import logging
import re
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import NamedTuple, get_args
from urllib.parse import parse_qsl

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, QueryDict, parse_cookie
from django.utils import translation

from apps.accounts.sessions import tokens
from apps.accounts.sessions.log_in_reader import LogInReader
from apps.accounts.sessions.scopes import Scope
from apps.front import compression, observe
from apps.front.documents.page_requests import DocumentKey, read_key
from apps.front.documents.rendering import PageRenderer
from apps.front.encoding import accepts_gzip
from apps.front.language import find_language
from apps.front.lens import asks_for_lens
from apps.front.origin import find_origin
from apps.front.refusal_route import API_ROOT, ODD_HEADERS, compress
from apps.front.response import OWN_CACHE_CONTROL, Response
from apps.front.route import Exchange, Message
from apps.front.short_cache import short_cache
from apps.front.sql_threads import SqlThreads
from apps.front.wsgi_bridge import Application as WsgiApplication
from apps.redis_kit.limiter import Limit
from apps.search import limits
from apps.search.suggest import api as suggest_api
from apps.search.suggest.sources import CONTACTS
from apps.web import client_address, request_origin
from apps.web.problems import Problem


class _Place(NamedTuple):
    """A path, and what it charges; the page knows people by their cookie, the API by a bearer token."""

    path: str
    of_person: Limit
    of_address: Limit
    reads_cookie: bool = False
    reads_bearer: bool = True
    needs_text: bool = True


_SEARCHES = (limits.SEARCHES_OF_PERSON, limits.SEARCHES_OF_ADDRESS)
_SUGGESTIONS = (limits.SUGGESTIONS_OF_PERSON, limits.SUGGESTIONS_OF_ADDRESS)
_PLACES = {
    b"/search/": _Place("/search/", *_SEARCHES, reads_cookie=True, reads_bearer=False),
    b"/api/search": _Place("/api/search", *_SEARCHES),
    b"/api/suggest": _Place("/api/suggest", *_SUGGESTIONS, reads_cookie=True, needs_text=False),
}
SUGGEST_PATH = b"/api/suggest"
#: More at once would take the interpreter from pages; a search for suggestions takes a millisecond or two.
SUGGEST_THREADS = 2
#: Queries that are kept with their meaning: many type the same letters.
MAX_QUERIES = 1_024
#: As suggest.api declares them.
MAX_TYPED, DEFAULT_SIZE = 80, "8"
_KINDS = get_args(suggest_api.Kind)
_LINE_FIELDS = tuple(suggest_api.SuggestionOut.model_fields)
#: Numbers that are surely in their ranges; others are Django's to judge.
_SIZE, _CHAT = re.compile("[1-9]|1[0-9]|20"), re.compile("[0-9]{1,15}")
#: Kinds of answers that are kept: paths, languages, origins and seconds.
MAX_KINDS = 256
log = logging.getLogger(__name__)


class RefusedSearch(NamedTuple):
    """A search that is refused for so many seconds more; `key` is what the words depend on.

    With a log-in, `seconds` are those of a visitor, and are 0 where a visitor would not be refused.
    """

    key: DocumentKey
    seconds: int
    takes_gzip: bool
    of_person: Limit
    #: The head of who brings a log-in, and whether only its person counts.
    log_in: Mapping[bytes, bytes] | None = None
    is_bearer: bool = False


class SearchRefusalRoute:
    """Answers 429 to addresses and people that Django has refused a moment ago."""

    methods = (b"GET", b"HEAD")

    def __init__(self, django: WsgiApplication) -> None:
        self._renderer, self._log_ins = PageRenderer(django), LogInReader()
        #: The plain response of each kind, and the one in gzip.
        self._responses: dict[tuple[DocumentKey, int], tuple[Response, Response]] = {}

    def read(self, message: Message) -> RefusedSearch | None:
        """The request, if its address or its person may be over a limit."""
        path, _, query = message.target.partition(b"?")
        place = _PLACES.get(path)
        if not place or not limits.has_refused():
            return None
        fields, cookie = message.fields, message.fields.get(b"cookie", b"")
        if not ODD_HEADERS.isdisjoint(fields) or b"\\" in cookie or asks_for_lens(fields):
            return None
        is_bearer, token = b"authorization" in fields, tokens.find_sent(fields)
        if token is None or (is_bearer and not (place.reads_bearer and token)):
            return None
        has_log_in = bool(token) and (is_bearer or place.reads_cookie)
        seconds = limits.refused_seconds(place.of_address, _network(message))
        if not seconds and not (has_log_in and _may_be_refused(place.of_person, token)):
            return None
        if not _is_charged(place, query):
            return None
        hosts = [fields.get(name) for name in (b"host", b"x-forwarded-proto", b"x-forwarded-host")]
        if not (origin := find_origin(message.scheme, *hosts)):
            return None
        language = find_language(cookie, fields.get(b"accept-language", b""))
        return RefusedSearch(
            DocumentKey(place.path, language, *origin),
            seconds,
            accepts_gzip(fields.get(b"accept-encoding", b"")),
            place.of_person,
            fields if has_log_in else None,
            is_bearer,
        )

    def answer(self, request: RefusedSearch, exchange: Exchange) -> None:
        """Answer as Django has answered the first request of the kind."""
        found = self._responses.get(request[:2])
        if request.log_in is not None:
            exchange.set_result(partial(self._answer_log_in, request, request.log_in))
        else:
            exchange.set_result(found[request.takes_gzip] if found else partial(self._answer_first, request))

    def answer_failure(self, request: RefusedSearch, error: Exception) -> None:
        """Django answers."""
        log.error("the refusal of a search at %s was not made", request.key.path, exc_info=error)

    async def _answer_log_in(self, request: RefusedSearch, fields: Mapping[bytes, bytes]) -> Response | None:
        """The refusal of a person, or of a visitor with a forged log-in; None where Django must look."""
        if login := await self._log_ins.find_sent(fields):
            request = request._replace(seconds=limits.refused_seconds(request.of_person, str(login.user_id)))
        elif request.is_bearer:
            # That is 401, not 429.
            return None
        if not request.seconds:
            return None
        found = self._responses.get(request[:2])
        response = found[request.takes_gzip] if found else await self._answer_first(request)
        is_page = not request.key.path.startswith(API_ROOT)
        return response.with_header(OWN_CACHE_CONTROL) if response and is_page else response

    async def _answer_first(self, request: RefusedSearch) -> Response | None:
        marks = {limits.REFUSED_SECONDS: request.seconds}
        made = await self._renderer.request(request.key, query="q=x", marks=marks)
        if made.status != HTTPStatus.TOO_MANY_REQUESTS:
            return None
        if len(self._responses) >= MAX_KINDS:
            self._responses.clear()
        both = self._responses[request[:2]] = made, compress(made)
        return both[request.takes_gzip]


class SuggestRequest(NamedTuple):
    """What somebody typed, by the parameters of the API, and the head that says who and where they are."""

    variant: DocumentKey
    typed: str
    kind: str
    size: int
    chat_id: int
    fields: Mapping[bytes, bytes]
    peer: str
    #: The raw log-in, "" for a visitor; a bearer's must be good.
    token: str
    is_bearer: bool


class SuggestRoute:
    """Answers GET /api/suggest with the headers that Django gave the first answer of its kind."""

    methods = (b"GET",)

    def __init__(self, django: WsgiApplication) -> None:
        self._renderer, self._threads = PageRenderer(django), SqlThreads(SUGGEST_THREADS, "suggest-sql")
        #: A short answer of each kind, and one that Django would compress.
        self._heads: dict[DocumentKey, tuple[Response, Response]] = {}

    def read(self, message: Message) -> SuggestRequest | None:
        """The request, if nothing about it is unusual."""
        path, _, query = message.target.partition(b"?")
        fields, cookie = message.fields, message.fields.get(b"cookie", b"")
        if path != SUGGEST_PATH or not ODD_HEADERS.isdisjoint(fields):
            return None
        if b"\\" in cookie or asks_for_lens(fields):
            return None
        given, token = read_suggest_query(query), tokens.find_sent(fields)
        is_bearer = b"authorization" in fields
        if given is None or token is None or (is_bearer and not token):
            return None
        variant = read_key(SUGGEST_PATH.decode(), message.scheme, fields)
        if variant is None or (given.kind == CONTACTS and not token):
            return None
        return SuggestRequest(variant, *given, fields, message.peer, token, is_bearer)

    def answer(self, request: SuggestRequest, exchange: Exchange) -> None:
        """Find the suggestions in a thread."""
        exchange.set_result(partial(self._answer, request))

    def answer_failure(self, _request: SuggestRequest, error: Exception) -> None:
        """Django answers, and says what is wrong."""
        log.warning("suggestions are left to Django: %s", error)

    async def _answer(self, request: SuggestRequest) -> Response | None:
        heads = self._heads.get(request.variant) or await self._load_heads(request.variant)
        body = await self._threads.run(find_suggestions, request) if heads else None
        if not heads or body is None:
            return None
        short, long = heads
        if len(body) < compression.MIN_BYTES:
            return short.with_body(body)
        takes_gzip = accepts_gzip(request.fields.get(b"accept-encoding", b""))
        return compress(long.with_body(body)) if takes_gzip else long.with_body(body)

    async def _load_heads(self, variant: DocumentKey) -> tuple[Response, Response] | None:
        made = await self._renderer.request(variant, query="q=")
        if made.status != HTTPStatus.OK:
            return None
        if len(self._heads) >= MAX_KINDS:
            self._heads.clear()
        made.route = observe.route_name(SUGGEST_PATH.decode())
        vary = dict(made.headers).get(b"vary", b"")
        long = made.with_header((b"vary", b", ".join(filter(None, (vary, b"Accept-Encoding")))))
        return self._heads.setdefault(variant, (made, long))


class SuggestQuery(NamedTuple):
    """The parameters of a request for suggestions."""

    typed: str
    kind: str
    size: int
    chat_id: int


@short_cache(MAX_QUERIES)
def read_suggest_query(query: bytes) -> SuggestQuery | None:
    """The parameters of a query; None for what the API's view refuses, or says is deprecated."""
    if not all(part.partition(b"=")[0] in (b"q", b"kind", b"size", b"chat") for part in query.split(b"&")):
        return None
    given = QueryDict(query.decode("latin-1"))
    if "q" not in given or any(len(values) > 1 for _name, values in given.lists()):
        return None
    typed, kind = given["q"], given.get("kind", "")
    size, chat = given.get("size", DEFAULT_SIZE), given.get("chat", "0")
    is_right = _SIZE.fullmatch(size) and _CHAT.fullmatch(chat) and kind in _KINDS
    if not is_right or len(typed) > MAX_TYPED or "\0" in typed or "\ufffd" in typed:
        return None
    return SuggestQuery(typed, kind, int(size), int(chat))


def find_suggestions(request: SuggestRequest) -> bytes | None:
    """The answer to a request, by SQL and Redis; None where Django has to refuse it."""
    login = tokens.resolve(request.token) if request.token else None
    is_refused = request.is_bearer and (login is None or Scope.READ not in login.scopes)
    if is_refused or (request.kind == CONTACTS and login is None):
        return None
    viewer_id = login.user_id if login else None
    asked = _build_request(request)
    try:
        limits.charge_suggestion(asked, viewer_id)
    except Problem:
        return None
    with translation.override(request.variant.language):
        lines = suggest_api.find(
            asked, viewer_id, request.typed, request.kind, size=request.size, chat_id=request.chat_id
        )
    items = [{name: getattr(line, name) for name in _LINE_FIELDS} for line in lines]
    body = json.dumps({"items": items, "next": None}).encode()
    return request_origin.complete_addresses(body, f"{request.variant.scheme}://{request.variant.host}")


def _build_request(request: SuggestRequest) -> HttpRequest:
    """What limits, places and last searches read of a visitor's request."""
    built, fields = HttpRequest(), request.fields
    built.user = AnonymousUser()
    built.META = {
        "REMOTE_ADDR": request.peer,
        "HTTP_X_FORWARDED_FOR": fields.get(b"x-forwarded-for", b"").decode("latin-1"),
    }
    built.COOKIES = parse_cookie(fields.get(b"cookie", b"").decode("utf-8", "replace"))
    return built


def _network(message: Message) -> str:
    forwarded = message.fields.get(b"x-forwarded-for", b"").decode("latin-1")
    return client_address.site_network(client_address.forwarded_ip(message.peer, forwarded))


def _may_be_refused(limit: Limit, token: str) -> bool:
    """Whether the person that a token claims is over their limit."""
    claimed = tokens.claimed_user_id(token)
    return bool(claimed) and limits.refused_seconds(limit, str(claimed)) > 0


def _is_charged(place: _Place, query: bytes) -> bool:
    """Whether a query is charged, and answered with nothing else first: Django refuses NUL.

    A search without words costs nothing. Of suggestions, visitors have no contacts, and who sends `limit`
    hears that it is deprecated.
    """
    if b"%00" in query:
        return False
    given = parse_qsl(query.decode("latin-1"))
    if place.needs_text:
        return any(name == "q" and value.strip() for name, value in given)
    return not any(name == "limit" or (name, value) == ("kind", CONTACTS) for name, value in given)
