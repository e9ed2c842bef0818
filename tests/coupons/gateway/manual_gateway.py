"""A gateway whose decisions a test makes, and a site that records what reaches it."""

from typing import Any

from apps.coupons.claims.seckill import ClaimResult, Outcome
from apps.coupons.gateway.admission import AdmissionOutcome, ClaimRequest
from apps.coupons.gateway.claim_gateway import Gateway
from apps.redis_kit.batching import Batcher, Waiter


class RecordingSite:
    """What stands behind the gateway."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.bodies: list[bytes] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope["path"])
        self.bodies.append(b"")
        more = True
        while more:
            message = await receive()
            self.bodies[-1] += message["body"]
            more = message["more_body"]
        headers = [(b"content-length", b"4")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"page"})


class ManualBatcher(Batcher[ClaimRequest, AdmissionOutcome]):
    """Who asks waits until somebody else decides."""

    def __init__(self) -> None:
        self.asks: list[tuple[ClaimRequest, Waiter[AdmissionOutcome]]] = []

    def submit_to(self, item: ClaimRequest, waiter: Waiter[AdmissionOutcome]) -> None:
        self.asks.append((item, waiter))


class ManualGateway(Gateway):
    """Decides when it is told to."""

    def __init__(self) -> None:
        self.site = RecordingSite()
        super().__init__(self.site)
        self.batcher = line = ManualBatcher()
        self.asks = line.asks

    def decide(self, end: AdmissionOutcome | Exception = ClaimResult(Outcome.ACCEPTED, 5)) -> None:  # noqa: B008 - a constant
        waiter = self.asks[-1][1]
        if waiter.done():
            return
        if isinstance(end, Exception):
            waiter.set_exception(end)
        else:
            waiter.set_result(end)
