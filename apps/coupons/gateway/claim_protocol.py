"""An HTTP protocol for uvicorn that hands claims to the gateway without ASGI.

ASGI costs a claim a coroutine, a task and two messages, which is more than the claim itself. Here
httptools' parser reads the request, the gateway decides, and the answer is written to the socket. Uvicorn
passes every other request to the application.
"""

import logging
from typing import ClassVar

from apps.coupons.gateway import claim_answers, claim_requests
from apps.coupons.gateway.admission import AdmissionOutcome, ClaimRequest, Decision
from apps.coupons.gateway.claim_answers import RequestVariant
from apps.coupons.gateway.claim_gateway import Gateway
from apps.coupons.gateway.claim_requests import Head
from apps.front.protocol import DirectHttpProtocol, asks_for_lens
from apps.web.problems import translation

log = logging.getLogger(__name__)


class ClaimProtocol(DirectHttpProtocol):
    """One connection, which is also the waiter (redis_kit.batching.Waiter) of the claim that it is reading.

    With `is_open` False every request goes to the application.
    """

    gateway: ClassVar[Gateway]
    is_open: ClassVar[bool] = True
    #: The claim that is being read, until it is whole.
    _claim_head: Head | None = None
    _claim_body = b""
    #: Whether the answer that is awaited is a claim's.
    _is_claiming = False

    def on_head(self) -> None:
        if self.is_free:
            self._is_claiming = False
        self._claim_head, self._claim_body = self._read_head(), b""
        if self._claim_head is None:
            super().on_head()
        else:
            self.send_continue()

    def _read_head(self) -> Head | None:
        if not self.is_open or self.parser.get_method() != b"POST" or not self.may_answer_directly:
            return None
        head = claim_requests.read_head(self.url, self.fields)
        # The application records a claim that the lens looks at.
        return None if head and asks_for_lens(head.headers) else head

    def on_body(self, body: bytes) -> None:
        if self._claim_head is None:
            super().on_body(body)
        else:
            self._claim_body += body

    def on_message_complete(self) -> None:
        head, body = self._claim_head, self._claim_body
        claim = claim_requests.read_claim(head, self.scheme or "http", body) if head else None
        self._claim_head = None
        if claim:
            self._submit(*claim)
        elif head:
            super().on_head()
            super().on_body(body)
        super().on_message_complete()

    def _submit(self, request: ClaimRequest, variant: RequestVariant) -> None:
        """Hand the claim to the gateway; the answer is written when it is there."""
        self.begin_direct(variant.route)
        self._claim_request, self._variant, self._is_claiming = request, variant, True
        if request.digest:
            self.gateway.batcher.submit_to(request, self)
        else:
            self._start_resolving(None)

    def eof_received(self) -> bool:  # type: ignore[override] # asyncio's has an answer, uvicorn's none
        """Whether the connection stays: a whole claim gets its answer, though its client sends no more."""
        stays = self._is_claiming and not self.done()
        if stays:
            self._direct.keep_alive = False
        return stays

    # The connection is the waiter of its one claim: a future with its callbacks costs more.

    def done(self) -> bool:
        """Whether the claim has been answered or its client has left."""
        return self._direct.response_complete or self._direct.disconnected

    def set_result(self, outcome: AdmissionOutcome) -> None:
        """Write the answer to a decided claim, at once when the outcome says all of it."""
        try:
            answer = claim_answers.answer_for(outcome, self._claim_request, self._variant)
            if answer:
                self.finish_direct(answer)
            else:
                self._start_resolving(outcome)
        except Exception:
            log.exception("the answer to a claim of voucher %d failed", self._claim_request.voucher_id)
            self.transport.close()

    def set_exception(self, error: Exception) -> None:
        """Answer a claim whose decision failed."""
        self._start_resolving(error)

    def _start_resolving(self, decision: Decision | None) -> None:
        task = self.loop.create_task(self._resolve(decision))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _resolve(self, decision: Decision | None) -> None:
        request, variant = self._claim_request, self._variant
        try:
            answer = await self.gateway.respond(request, variant, decision)
        except Exception:
            log.exception("a claim of voucher %d failed", request.voucher_id)
            answer = claim_answers.refuse(request, variant, translation.from_status, 500)
        self.finish_direct(answer)
