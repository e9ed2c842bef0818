"""GET /api/me/page in the event loop; odd requests and unknown log-ins go to Django, which answers alike."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from apps.accounts.personal import api, gathering, requests
from apps.accounts.personal.answers import Answer
from apps.accounts.personal.requests import PersonalRequest
from apps.front import compression, observe
from apps.front.documents.page_requests import DocumentKey
from apps.front.documents.rendering import PageRenderer
from apps.front.response import Response
from apps.front.wsgi_bridge import Application as WsgiApplication
from apps.redis_kit import client
from apps.redis_kit.batching import Batcher

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
#: Batches at once, one in each exchange of the async transport.
MAX_CONCURRENT_BATCHES = 2
#: Languages and origins whose headers are kept.
MAX_VARIANTS = 256


class PersonalParts:
    """An ASGI application that answers personal parts; every other request goes to the one `behind`."""

    def __init__(self, behind: Application, *, django: WsgiApplication) -> None:
        self.behind, self._renderer = behind, PageRenderer(django)
        #: The responses that Django has given so far to visitors: every one of a variant has their head.
        self.heads: dict[DocumentKey, Response] = {}
        #: Requests join the next batch here: `submit` gives a future, `submit_to` tells a waiter.
        self.batcher: Batcher[PersonalRequest, Answer | None] = Batcher(
            gathering.answer_many, max_batch=gathering.MAX_BATCH, max_concurrent=MAX_CONCURRENT_BATCHES
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_personal = scope["path"] == requests.PATH and scope["type"] == "http" and scope["method"] == "GET"
        request = _read(scope) if is_personal else None
        response = await self._respond(request) if request else None
        if response is None:
            await self.behind(scope, receive, send)
            return
        scope[observe.ROUTE] = observe.route_name(requests.PATH)
        await response.send(send)

    async def _respond(self, request: PersonalRequest) -> Response | None:
        """The response, or None when Django has to give it."""
        head = self.heads.get(request.variant) or await self._load_head(request.variant)
        if head is None:
            return None
        try:
            body = encode(await self.batcher.submit(request))
        except client.UNAVAILABLE:
            return None
        return head.with_body(body) if body else None

    async def _load_head(self, variant: DocumentKey) -> Response | None:
        """The head that Django gives an answer of this variant; None if it refuses."""
        rendered = await self._renderer.request(variant)
        if rendered.status != HTTPStatus.OK:
            return None
        if len(self.heads) >= MAX_VARIANTS:
            self.heads.clear()
        return self.heads.setdefault(variant, rendered)


def _read(scope: Scope) -> PersonalRequest | None:
    return requests.read(scope["query_string"], scope["scheme"], dict(scope["headers"]))


def encode(answer: Answer | None) -> bytes:
    """The JSON of an answer; b"" when Django has to give it, which compresses a long one."""
    body = api.encode(answer) if answer else b""
    return body if len(body) < compression.MIN_BYTES else b""
