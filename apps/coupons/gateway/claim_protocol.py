"""uvicorn's HTTP protocol, which puts claims to the gateway itself.

ASGI costs a claim a coroutine, a task and two messages, more than the claim; so a claim is read from the
parser, asked, and its answer written to the socket. A connection's next claim isn't even parsed when it
differs from the last one in its values only. Everything else is uvicorn's and the application's.
"""

import logging
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from apps.coupons.gateway import claim_gateway, claim_requests, response_templates
from apps.coupons.gateway.admission import AdmissionOutcome, ClaimRequest
from apps.coupons.gateway.claim_gateway import Decision, Gateway
from apps.coupons.gateway.claim_requests import RequestShape
from apps.coupons.gateway.response_templates import CachedResponse, Header, RequestVariant
from apps.web.problems import translation

#: A shape costs half a millisecond to learn: not for who comes once, and once for a connection.
LEARN_FROM_CLAIM = 2
log = logging.getLogger(__name__)
#: How somebody asks, by which the next claim is known, and the manner of it.
KnownShape = tuple[RequestShape, RequestVariant]


class _NoopEvent:
    """What uvicorn wakes of a request's cycle; nobody sleeps on a claim's."""

    def set(self) -> None: ...


class _ClaimCycle:
    """What uvicorn's protocol looks at of the request that it answers."""

    message_event = _NoopEvent()

    def __init__(self) -> None:
        self.response_complete, self.disconnected, self.keep_alive, self.more_body = True, False, True, False


class ClaimProtocol(HttpToolsProtocol):
    """One connection; while the gateway isn't `is_open` it is uvicorn's."""

    gateway: ClassVar[Gateway]
    is_open: ClassVar[bool] = True
    cycle: Any
    #: What was learnt last, by scheme: a crowd asks alike, so a new connection is tried with it.
    _latest: ClassVar[dict[str | None, KnownShape]] = {}
    _cached_server_lines: ClassVar[tuple[list[Header], bytes]] = [], b""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._claiming = _ClaimCycle()
        self._known_shape: KnownShape | None = None
        #: Plain claims that the parser has read.
        self._parsed = 0
        self._is_between = True

    def data_received(self, data: bytes) -> None:
        known = self._known_shape or self._latest.get(self.scheme)
        if known and self.is_open and self._is_between and self._may_claim():
            shape, manner = known
            ask = shape.read(data)
            if ask:
                self._submit(ask, manner)
                return
        self.parse(data)

    def parse(self, data: bytes) -> None:
        """What isn't a claim of a known shape is read by uvicorn's parser; such a claim teaches its shape."""
        is_first, parsed = self._is_between, self._parsed
        super().data_received(data)
        is_whole = is_first and self._is_between
        if is_whole and parsed < self._parsed == LEARN_FROM_CLAIM and self._claiming.keep_alive:
            shape = claim_requests.learn_shape(data)
            if shape:
                self._known_shape = self._latest[self.scheme] = shape, self._variant

    def on_message_begin(self) -> None:
        self._is_between = False
        super().on_message_begin()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._is_between = True

    def on_headers_complete(self) -> None:
        found = self._parse_claim() if self.is_open and self._may_claim() else None
        if found is None:
            super().on_headers_complete()
            return
        self._claiming.keep_alive, self._parsed = self.parser.should_keep_alive(), self._parsed + 1
        self._submit(*found)

    @property
    def is_free(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _may_claim(self) -> bool:
        # Who doesn't read answers is made to wait by uvicorn's cycle.
        return self.is_free and not self.flow.write_paused

    def _parse_claim(self) -> tuple[ClaimRequest, RequestVariant] | None:
        """What is asked, and in which manner; None when the request isn't a plain claim."""
        if self.parser.get_method() != b"POST" or self.parser.get_http_version() != "1.1":
            return None
        voucher_id = claim_requests.voucher_id_in(self.url.decode("latin-1"))
        headers = claim_requests.plain_headers(self.headers) if voucher_id else None
        if headers is None:
            return None
        manner = response_templates.variant_for(
            self.scheme or "http", *map(headers.get, response_templates.VARIANT_HEADERS)
        )
        return claim_requests.parse(voucher_id, headers), manner

    def _submit(self, ask: ClaimRequest, manner: RequestVariant) -> None:
        """Ask the gateway; the answer is written when it is there."""
        self.cycle, self._claiming.response_complete = self._claiming, False
        self._claim_request, self._variant = ask, manner
        if ask.digest:
            self.gateway.put(ask, self)
        else:
            self._start_resolving(None)

    # It waits in the gateway's line itself, for one claim at a time: futures and their callbacks cost more.

    def done(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self._claiming.response_complete or self._claiming.disconnected

    def set_result(self, end: AdmissionOutcome) -> None:
        """The claim is decided."""
        try:
            said = claim_gateway.response_for(end, self._variant)
            if said:
                self._write_response(*said)
            else:
                self._start_resolving(end)
        except Exception:
            log.exception("the answer to a claim of voucher %d failed", self._claim_request.voucher_id)
            self.transport.close()

    def set_exception(self, error: Exception) -> None:
        """Nobody knows whether it is."""
        self._start_resolving(error)

    def _start_resolving(self, decision: Decision | None) -> None:
        task = self.loop.create_task(self._resolve(decision))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _resolve(self, decision: Decision | None) -> None:
        try:
            said = await self.gateway.respond(self._claim_request, self._variant, decision)
        except Exception:
            log.exception("a claim of voucher %d failed", self._claim_request.voucher_id)
            said = response_templates.render_refused(self._variant, translation.from_status, 500), ""
        self._write_response(*said)

    def _write_response(self, dress: CachedResponse, gap: str) -> None:
        self._claiming.response_complete = True
        if self._claiming.disconnected:
            return
        others = self._server_lines()
        if self._claiming.keep_alive:
            self.transport.write(dress.to_http(gap, others))
        else:
            self.transport.write(dress.to_http(gap, others + b"connection: close\r\n"))
            self.transport.close()
        self.on_response_complete()

    def _server_lines(self) -> bytes:
        """The server's own headers; it makes another list of them each second."""
        headers, lines = self._cached_server_lines
        if headers is not self.server_state.default_headers:
            headers = self.server_state.default_headers
            lines = response_templates.header_lines(headers)
            ClaimProtocol._cached_server_lines = headers, lines
        return lines
