"""A route of claims whose decisions a test makes, and a site that records what reaches it."""

from typing import Any

from apps.coupons.claims.seckill import ClaimAnswer, Outcome
from apps.coupons.gateway.claim_answers import Claim
from apps.coupons.gateway.route import ClaimRoute
from apps.front.route import Reply
from apps.redis_kit.batching import Batcher, Waiter


class RecordingSite:
    """What stands behind the route."""

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


class ManualBatcher(Batcher[Claim, Reply]):
    """Who asks waits until somebody else decides."""

    def __init__(self) -> None:
        self.asks: list[tuple[Claim, Waiter[Reply]]] = []

    def submit_to(self, item: Claim, waiter: Waiter[Reply]) -> None:
        self.asks.append((item, waiter))


class ManualRoute(ClaimRoute):
    """Decides when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.site = RecordingSite()
        self.batcher = self._line = ManualBatcher()

    @property
    def asks(self) -> list[Claim]:
        """The claims so far."""
        return [claim for claim, _ in self._line.asks]

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for the last decision."""
        return not self._line.asks[-1][1].done()

    def decide(self, end: ClaimAnswer | Exception = ClaimAnswer(Outcome.ACCEPTED, 5)) -> None:  # noqa: B008 - a constant
        claim, waiter = self._line.asks[-1]
        (reply,) = self.reply_to([claim], [end])
        if not self.is_awaited:
            return
        if isinstance(reply, Exception):
            waiter.set_exception(reply)
        else:
            waiter.set_result(reply)
