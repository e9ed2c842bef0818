"""The route of GET /api/me/page; odd requests and unknown log-ins are Django's, which answers alike."""

import logging
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus

from apps.accounts.personal import api, gathering, requests
from apps.accounts.personal.answers import Answer
from apps.accounts.personal.requests import PersonalRequest
from apps.front import compression, observe
from apps.front.documents.page_requests import DocumentKey
from apps.front.documents.rendering import PageRenderer
from apps.front.response import Response
from apps.front.route import Exchange, Message
from apps.front.wsgi_bridge import Application as WsgiApplication
from apps.redis_kit import client
from apps.redis_kit.batching import Batcher

#: Batches at once, one in each exchange of the async transport.
MAX_CONCURRENT_BATCHES = 2
#: Languages and origins whose headers are kept.
MAX_VARIANTS = 256
_PATH = requests.PATH.encode()
log = logging.getLogger(__name__)


class PersonalRoute:
    """Answers the personal parts of one moment together, with the headers that Django gave the first one."""

    methods = (b"GET",)

    def __init__(self, django: WsgiApplication) -> None:
        self._renderer = PageRenderer(django)
        #: The responses that Django has given so far to visitors: every one of a variant has their head.
        self.heads: dict[DocumentKey, Response] = {}
        self.batcher: Batcher[PersonalRequest, Response | None] = Batcher(
            self._answer_many, max_batch=gathering.MAX_BATCH, max_concurrent=MAX_CONCURRENT_BATCHES
        )

    def read(self, message: Message) -> PersonalRequest | None:
        """The request for a personal part."""
        if not message.target.startswith(_PATH):
            return None
        path, _, query = message.target.partition(b"?")
        return requests.read(query, message.scheme, message.fields) if path == _PATH else None

    def answer(self, request: PersonalRequest, exchange: Exchange) -> None:
        """Join the next batch, once there is a head for the answer."""
        if request.variant in self.heads:
            self.batcher.submit_to(request, exchange)
        else:
            exchange.set_result(partial(self._answer_first, request))

    def answer_failure(self, _request: PersonalRequest, error: Exception) -> None:
        """Django answers, also without Redis."""
        if not isinstance(error, client.UNAVAILABLE):
            log.error("a personal part failed", exc_info=error)

    async def _answer_many(self, queued: Sequence[PersonalRequest]) -> list[Response | None]:
        """The response to each request; None when Django has to give it."""
        found = await gathering.answer_many(queued)
        return [self._respond(request, answer) for request, answer in zip(queued, found, strict=True)]

    def _respond(self, request: PersonalRequest, answer: Answer | None) -> Response | None:
        origin = f"{request.variant.scheme}://{request.variant.host}"
        head, body = self.heads.get(request.variant), api.encode(answer, origin) if answer else b""
        # Django compresses a long one.
        return head.with_body(body) if head and 0 < len(body) < compression.MIN_BYTES else None

    async def _answer_first(self, request: PersonalRequest) -> Response | None:
        is_known = await self._load_head(request.variant)
        return await self.batcher.submit(request) if is_known else None

    async def _load_head(self, variant: DocumentKey) -> bool:
        """Keep the head that Django gives an answer of this variant; False if it refuses."""
        rendered = await self._renderer.request(variant)
        if rendered.status != HTTPStatus.OK:
            return False
        if len(self.heads) >= MAX_VARIANTS:
            self.heads.clear()
        rendered.route = observe.route_name(requests.PATH)
        self.heads.setdefault(variant, rendered)
        return True
