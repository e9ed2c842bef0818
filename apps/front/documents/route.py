"""The route of pages that are the same for everybody, from ready documents that Django makes."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from http import HTTPStatus

from django.urls import Resolver404, ResolverMatch, resolve

from apps.front.documents import page_requests, pages, variants
from apps.front.documents.documents import Document
from apps.front.documents.page_requests import DocumentKey, PageRequest
from apps.front.documents.rendering import PageRenderer
from apps.front.documents.store import REFRESH_WAIT_SECONDS, DocumentStore
from apps.front.response import OWN_CACHE_CONTROL, Response
from apps.front.route import Exchange, Message
from apps.front.wsgi_bridge import Application as WsgiApplication
from apps.redis_kit import client, keys, transport
from apps.web import client_address

#: Called for each page that a GET is answered with, with its match and the request's headers; returns the
#: value of a Set-Cookie header for this browser, or b"".
Observe = Callable[[ResolverMatch, Mapping[bytes, bytes]], bytes]
#: Their name among the caches (/admin/redis/), and seconds between two writes of their hits to Redis.
CACHE_NAME = "documents"
COUNTS_EVERY_SECONDS = 10.0
log = logging.getLogger(__name__)


class DocumentRoute:
    """Answers requests for shared pages: at once where a document is fresh, else when Django has made it."""

    methods = (b"GET", b"HEAD")

    def __init__(
        self,
        django: WsgiApplication,
        *,
        observe: Observe = lambda match, headers: b"",
        refresh_wait_seconds: float = REFRESH_WAIT_SECONDS,
    ) -> None:
        self._observe, self._renderer = observe, PageRenderer(django)
        self._counts_due = time.monotonic() + COUNTS_EVERY_SECONDS
        self.store = DocumentStore(self._make, refresh_wait_seconds=refresh_wait_seconds)
        self._addresses = variants.Addresses()

    def read(self, message: Message) -> PageRequest | None:
        """The request for a shared page."""
        request = page_requests.read(message.target.decode("latin-1"), message.scheme, message.fields)
        # To resolve a path takes longer than to answer from a document.
        is_shared = request and (request.key in self.store or _is_shared_path(request.key.path))
        if not request or not is_shared:
            return None
        by_address = variants.find_by_address(request.key.path, message.fields.get(b"cookie", b""))
        return request._replace(by_address=by_address, address=_address(message)) if by_address else request

    def answer(self, request: PageRequest, exchange: Exchange) -> None:
        """Answer from a document that is fresh, else from one that is made now, or by Django."""
        if request.by_address:
            if (located := self._addresses.find(request.address)) is None:
                exchange.set_result(partial(self._locate_and_answer, request, exchange.message.method))
                return
            request = _for_variant(request, *located)
        document, method = self.store.find_fresh(request.key, exchange.began), exchange.message.method
        absent = None if document else self.store.find_absent(request.key, exchange.began)
        if document:
            exchange.set_result(self._answer_from(document, request, method))
        elif absent:
            exchange.set_result(_refuse(absent, request))
        else:
            exchange.set_result(partial(self._make_and_answer, request, method))

    def answer_failure(self, request: PageRequest, error: Exception) -> None:
        """Django answers."""
        log.error("the page %s was not answered", request.key.path, exc_info=error)

    async def _locate_and_answer(self, request: PageRequest, method: bytes) -> Response | None:
        variant = await self._renderer.call(self._addresses.locate, request.by_address, request.address)
        return await self._make_and_answer(_for_variant(request, variant), method)

    async def _make_and_answer(self, request: PageRequest, method: bytes) -> Response | None:
        result = await self.store.get(request.key)
        if isinstance(result, Document):
            return self._answer_from(result, request, method)
        return _refuse(result, request) if result else None

    def _answer_from(self, document: Document, request: PageRequest, method: bytes) -> Response:
        answer = document.answer(request.encoding, request.if_none_match)
        if request.by_address:
            # The next reader of a cache in between may be from another city.
            answer = answer.private()
        cookie = self._observe(document.match, request.headers) if method == b"GET" else b""
        return answer.with_cookie(cookie) if cookie else answer

    async def _make(self, key: DocumentKey, last: Document | None) -> Document | Response:
        if time.monotonic() >= self._counts_due:
            self._counts_due = time.monotonic() + COUNTS_EVERY_SECONDS
            outcomes, self.store.outcomes = self.store.outcomes, Counter()
            self._renderer.run_in_background(_add_counts, outcomes)
        return await self._renderer.render(key, last)


def _add_counts(outcomes: Mapping[str, int]) -> None:
    """Add readers by outcome to the counts of all processes; without Redis they are lost."""
    counts = keys.CACHE_COUNTS(cache=CACHE_NAME)
    commands = [("HINCRBY", counts, outcome, times) for outcome, times in outcomes.items()]
    with suppress(*client.UNAVAILABLE):
        transport.execute_many(client.get(), commands)


def _refuse(refusal: Response, request: PageRequest) -> Response | None:
    """The answer that a page isn't shared or isn't there; None where Django must look who asks."""
    if b"cookie" not in request.headers:
        return refusal
    is_same = refusal.status == HTTPStatus.NOT_FOUND and pages.has_same_refusal(
        resolve(request.key.path).func
    )
    # Otherwise the person may perhaps see what nobody else may.
    return refusal.with_header(OWN_CACHE_CONTROL) if is_same else None


def _address(message: Message) -> str:
    forwarded = message.fields.get(b"x-forwarded-for", b"").decode("latin-1")
    return client_address.forwarded_ip(message.peer, forwarded)


def _for_variant(request: PageRequest, variant: str | None) -> PageRequest:
    """The request for what an address chooses; for what everybody gets where it has nothing to choose."""
    if variant is None:
        return request._replace(by_address=None)
    return request._replace(key=request.key._replace(variant=variant))


def _is_shared_path(path: str) -> bool:
    try:
        return pages.is_shared_page(resolve(path).func)
    except Resolver404:
        return False
