"""An HTTP protocol for uvicorn that hands claims to the gateway without ASGI.

ASGI costs a claim a coroutine, a task and two messages, which is more than the claim itself. Here
httptools' parser reads the request, the gateway decides, and the answer is written to the socket. Uvicorn
passes every other request to the application.
"""

import logging
from typing import Any, ClassVar

from apps.coupons.gateway import claim_gateway, claim_requests, response_templates
from apps.coupons.gateway.admission import AdmissionOutcome, ClaimRequest
from apps.coupons.gateway.claim_gateway import Decision, Gateway
from apps.coupons.gateway.response_templates import CachedResponse, Header, RequestVariant
from apps.web.http_protocol import BoundedHttpProtocol
from apps.web.problems import translation

log = logging.getLogger(__name__)


class _NoopEvent:
    """The event that uvicorn sets when a request's body goes on; no task waits for a claim's."""

    def set(self) -> None: ...


class _ClaimCycle:
    """The part of uvicorn's RequestResponseCycle that its protocol reads, for a claim under way."""

    message_event = _NoopEvent()

    def __init__(self) -> None:
        self.response_complete, self.disconnected, self.keep_alive, self.more_body = True, False, True, False


class ClaimProtocol(BoundedHttpProtocol):
    """One connection, which is also the waiter (redis_kit.batching.Waiter) of the claim that it is reading.

    With `is_open` False every request goes to the application.
    """

    gateway: ClassVar[Gateway]
    is_open: ClassVar[bool] = True
    _cached_server_lines: ClassVar[tuple[list[Header], bytes]] = [], b""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._claiming = _ClaimCycle()

    def on_headers_complete(self) -> None:
        claim = self._parse_claim() if self.is_open and self._may_claim() else None
        if claim is None:
            super().on_headers_complete()
            return
        self._claiming.keep_alive = self.parser.should_keep_alive()
        self._submit(*claim)

    def _may_claim(self) -> bool:
        # A client that reads no answers is slowed down by uvicorn's own cycle.
        return self.is_free and not self.flow.write_paused

    def _parse_claim(self) -> tuple[ClaimRequest, RequestVariant] | None:
        """The claim with the variant of its answer; None when the request isn't a plain claim."""
        if self.parser.get_method() != b"POST" or self.parser.get_http_version() != "1.1":
            return None
        voucher_id = claim_requests.voucher_id_in(self.url.decode("latin-1"))
        headers = claim_requests.plain_headers(self.headers) if voucher_id else None
        if headers is None:
            return None
        variant = response_templates.variant_for(
            self.scheme or "http", *map(headers.get, response_templates.VARIANT_HEADERS)
        )
        return claim_requests.parse(voucher_id, headers), variant

    def _submit(self, request: ClaimRequest, variant: RequestVariant) -> None:
        """Hand the claim to the gateway; the answer is written when it is there."""
        self.cycle, self._claiming.response_complete = self._claiming, False
        self._claim_request, self._variant = request, variant
        if request.digest:
            self.gateway.put(request, self)
        else:
            self._start_resolving(None)

    # The connection is the waiter of its one claim: a future with its callbacks costs more.

    def done(self) -> bool:
        """Whether the claim has been answered or its client has left."""
        return self._claiming.response_complete or self._claiming.disconnected

    def set_result(self, outcome: AdmissionOutcome) -> None:
        """Write the answer to a decided claim, at once when the outcome says all of it."""
        try:
            response = claim_gateway.response_for(outcome, self._variant)
            if response:
                self._write_response(*response)
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
        try:
            response = await self.gateway.respond(self._claim_request, self._variant, decision)
        except Exception:
            log.exception("a claim of voucher %d failed", self._claim_request.voucher_id)
            response = response_templates.render_refused(self._variant, translation.from_status, 500), ""
        self._write_response(*response)

    def _write_response(self, response: CachedResponse, filling: str) -> None:
        self._claiming.response_complete = True
        if self._claiming.disconnected:
            return
        server_lines = self._server_lines()
        if self._claiming.keep_alive:
            self.transport.write(response.to_http(filling, server_lines))
        else:
            self.transport.write(response.to_http(filling, server_lines + b"connection: close\r\n"))
            self.transport.close()
        self.on_response_complete()

    def _server_lines(self) -> bytes:
        """The server's own headers as lines; uvicorn makes a new list of them each second."""
        headers, lines = self._cached_server_lines
        if headers is not self.server_state.default_headers:
            headers = self.server_state.default_headers
            lines = response_templates.header_lines(headers)
            ClaimProtocol._cached_server_lines = headers, lines
        return lines
