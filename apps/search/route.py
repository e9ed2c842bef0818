"""Refuses searches of an address that is over its limit in the event loop, in Django's words.

Django charges the limit and refuses the first one (search.limits); until its time is over, further searches
of that address by visitors cost no thread, no exchange with Redis and no page.
"""

import logging
from functools import partial
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from apps.accounts.sessions.cookies import TOKEN_COOKIE
from apps.front.documents.page_requests import DocumentKey
from apps.front.documents.rendering import PageRenderer
from apps.front.encoding import accepts_gzip
from apps.front.language import find_language
from apps.front.lens import asks_for_lens
from apps.front.origin import find_origin
from apps.front.refusal_route import ODD_HEADERS, compress
from apps.front.response import Response
from apps.front.route import Exchange, Message
from apps.front.wsgi_bridge import Application as WsgiApplication
from apps.search import limits
from apps.web import client_address

_PATHS = {b"/search/": "/search/", b"/api/search": "/api/search"}
#: Kinds of answers that are kept: paths, languages, origins and seconds.
MAX_KINDS = 256
log = logging.getLogger(__name__)


class RefusedSearch(NamedTuple):
    """A search that is refused for so many seconds more; `key` is what the words depend on."""

    key: DocumentKey
    seconds: int
    takes_gzip: bool


class SearchRefusalRoute:
    """Answers 429 to visitors whose address Django has refused a moment ago."""

    methods = (b"GET", b"HEAD")

    def __init__(self, django: WsgiApplication) -> None:
        self._renderer = PageRenderer(django)
        #: The plain response of each kind, and the one in gzip.
        self._responses: dict[tuple[DocumentKey, int], tuple[Response, Response]] = {}

    def read(self, message: Message) -> RefusedSearch | None:
        """The request, if it is a visitor's search and the address is over its limit."""
        path, _, query = message.target.partition(b"?")
        if path not in _PATHS or not limits.has_refused() or not _has_text(query):
            return None
        fields, cookie = message.fields, message.fields.get(b"cookie", b"")
        is_odd = not ODD_HEADERS.isdisjoint(fields) or b"\\" in cookie or asks_for_lens(fields)
        # A person has a limit of their own, whatever others of the address do.
        if is_odd or b"authorization" in fields or TOKEN_COOKIE.encode() in cookie:
            return None
        forwarded = fields.get(b"x-forwarded-for", b"").decode("latin-1")
        network = client_address.site_network(client_address.forwarded_ip(message.peer, forwarded))
        seconds = limits.refused_seconds(network)
        hosts = [fields.get(name) for name in (b"host", b"x-forwarded-proto", b"x-forwarded-host")]
        origin = find_origin(message.scheme, *hosts) if seconds else None
        if not origin:
            return None
        language = find_language(cookie, fields.get(b"accept-language", b""))
        takes_gzip = accepts_gzip(fields.get(b"accept-encoding", b""))
        return RefusedSearch(DocumentKey(_PATHS[path], language, *origin), seconds, takes_gzip)

    def answer(self, request: RefusedSearch, exchange: Exchange) -> None:
        """Answer as Django has answered the first request of the kind."""
        found = self._responses.get(request[:2])
        exchange.set_result(found[request.takes_gzip] if found else partial(self._answer_first, request))

    def answer_failure(self, request: RefusedSearch, error: Exception) -> None:
        """Django answers."""
        log.error("the refusal of a search at %s was not made", request.key.path, exc_info=error)

    async def _answer_first(self, request: RefusedSearch) -> Response | None:
        marks = {limits.REFUSED_SECONDS: request.seconds}
        made = await self._renderer.request(request.key, query="q=x", marks=marks)
        if made.status != HTTPStatus.TOO_MANY_REQUESTS:
            return None
        if len(self._responses) >= MAX_KINDS:
            self._responses.clear()
        both = self._responses[request[:2]] = made, compress(made)
        return both[request.takes_gzip]


def _has_text(query: bytes) -> bool:
    """Whether a query has words to search: without any nothing is charged. Django refuses NUL."""
    if b"%00" in query:
        return False
    texts = [each[2:] for each in query.split(b"&") if each.startswith(b"q=")]
    return any(unquote_to_bytes(text.replace(b"+", b" ")).strip() for text in texts)
