"""The route of what is refused whoever sends it: requests for other hosts and for absent addresses.

Django answers the first request of a kind; its answer serves the later ones.
"""

import gzip
import logging
import re
from functools import partial
from http import HTTPStatus
from typing import NamedTuple

from django.conf import settings
from django.urls import Resolver404, resolve

from apps.front import compression
from apps.front.documents.page_requests import DJANGO_HEADERS, DocumentKey
from apps.front.documents.rendering import PageRenderer
from apps.front.encoding import accepts_gzip
from apps.front.language import find_language
from apps.front.lens import asks_for_lens
from apps.front.origin import find_origin, is_foreign_host
from apps.front.response import OWN_CACHE_CONTROL, Response
from apps.front.route import Exchange, Message
from apps.front.short_cache import MAX_CACHED_HEADERS, short_cache
from apps.front.wsgi_bridge import Application as WsgiApplication

#: Other characters, and longer paths, are Django's.
_PATH = re.compile(r"/[A-Za-z0-9/_.~-]{0,200}")
#: Requests with one of these may be refused for it first.
ODD_HEADERS = DJANGO_HEADERS - {b"hx-request"} | {b"content-type", b"content-encoding"}
API_ROOT = "/api/"
#: Addresses that are answered beside the site's routes.
_LEFT_PATHS = ("/admin/", settings.STATIC_URL)
#: Statuses, languages and origins whose answers are kept.
MAX_KINDS = 256
log = logging.getLogger(__name__)
_host_log = logging.getLogger("django.security.DisallowedHost")


class Kind(NamedTuple):
    """What the answer to a refused request depends on; the host is "" for those that aren't the site's."""

    status: int
    is_api: bool
    language: str
    scheme: str
    host: str


class RefusedRequest(NamedTuple):
    """A request that is refused: `key` has the same answer, from Django."""

    kind: Kind
    key: DocumentKey
    has_cookie: bool
    takes_gzip: bool


class RefusalRoute:
    """Answers 400 to other hosts and 404 for absent addresses; it comes after all other routes."""

    methods = (b"GET", b"HEAD")

    def __init__(self, django: WsgiApplication) -> None:
        self._renderer = PageRenderer(django)
        #: The plain response of each kind, and the one in gzip.
        self._responses: dict[Kind, tuple[Response, Response]] = {}

    def read(self, message: Message) -> RefusedRequest | None:
        """The request, if its host or its address alone is refused."""
        fields, cookie = message.fields, message.fields.get(b"cookie", b"")
        path, _, query = message.target.decode("latin-1").partition("?")
        # Django looks for NUL in queries and quoted cookies before it looks for the address.
        is_odd = not ODD_HEADERS.isdisjoint(fields) or "%00" in query or b"\\" in cookie
        if is_odd or not _PATH.fullmatch(path) or path.startswith(_LEFT_PATHS) or asks_for_lens(fields):
            return None
        hosts = [fields.get(name) for name in (b"host", b"x-forwarded-proto", b"x-forwarded-host")]
        language = find_language(cookie, fields.get(b"accept-language", b""))
        takes_gzip = accepts_gzip(fields.get(b"accept-encoding", b""))
        if origin := find_origin(message.scheme, *hosts):
            if not is_absent(path):
                return None
            kind = Kind(HTTPStatus.NOT_FOUND, path.startswith(API_ROOT), language, *origin)
            return RefusedRequest(kind, DocumentKey(path, language, *origin), bool(cookie), takes_gzip)
        if not is_foreign_host(message.scheme, *hosts):
            return None
        host = (hosts[0] or b"").decode("latin-1")
        kind = Kind(HTTPStatus.BAD_REQUEST, path.startswith(API_ROOT), language, message.scheme, "")
        key = DocumentKey(path, language, message.scheme, host)
        return RefusedRequest(kind, key, has_cookie=False, takes_gzip=takes_gzip)

    def answer(self, request: RefusedRequest, exchange: Exchange) -> None:
        """Answer as Django has answered the first request of the kind."""
        if request.kind.status == HTTPStatus.BAD_REQUEST:
            about = {"status_code": request.kind.status, "is_foreseen": True}
            _host_log.error("Invalid HTTP_HOST header: %r (ALLOWED_HOSTS)", request.key.host, extra=about)
        is_known = request.kind in self._responses
        exchange.set_result(self._respond(request) if is_known else partial(self._answer_first, request))

    def answer_failure(self, request: RefusedRequest, error: Exception) -> None:
        """Django answers."""
        log.error("the refusal of %s was not made", request.key.path, exc_info=error)

    async def _answer_first(self, request: RefusedRequest) -> Response | None:
        made = await self._renderer.request(request.key)
        if made.status != request.kind.status:
            return None
        if len(self._responses) >= MAX_KINDS:
            self._responses.clear()
        self._responses[request.kind] = made, compress(made)
        return self._respond(request)

    def _respond(self, request: RefusedRequest) -> Response:
        response = self._responses[request.kind][request.takes_gzip]
        is_page = not request.kind.is_api
        return response.with_header(OWN_CACHE_CONTROL) if request.has_cookie and is_page else response


@short_cache(MAX_CACHED_HEADERS)
def is_absent(path: str) -> bool:
    """Whether no address of the site has this path, nor is redirected from it to the one with a slash."""
    for candidate in (path, path if path.endswith("/") else f"{path}/"):
        try:
            resolve(candidate)
        except Resolver404:
            continue
        return False
    return True


def compress(plain: Response) -> Response:
    """The response in gzip, or itself where it is short."""
    if len(plain.body) < compression.MIN_BYTES:
        return plain
    body = gzip.compress(plain.body, compression.LEVEL, mtime=0)
    return Response(plain.status, [*plain.headers, (b"content-encoding", b"gzip")], body)
