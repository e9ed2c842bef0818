"""The bank as the shop knows it: signed callbacks, once, often or late. Its signature is made here anew."""

import asyncio
import hashlib
import hmac
import json
import time
from dataclasses import dataclass, field

from lab.campaign.ledger import Ledger
from lab.campaign.web_client import WebClient

#: The PAYMENT_SECRET of a campaign's sites.
SECRET = "the bank of the campaign, and nobody else"
CALLBACK = "/api/payments/sandbox/callback"


@dataclass
class Bank:
    """Sends the outcome of each payment to the shop `times` times, all at once, after `delay` seconds."""

    client: WebClient
    ledger: Ledger
    times: int = 1
    delay: float = 0.0
    _decided: list[bytes] = field(default_factory=list)

    async def tell(self, reference: str, amount: int, currency: str) -> None:
        """Tell the shop that a payment succeeded, until each callback is taken."""
        notice = {"reference": reference, "outcome": "succeeded", "reason": ""}
        body = json.dumps(notice | {"amount": amount, "currency": currency}).encode()
        self._decided.append(body)
        await asyncio.sleep(self.delay)
        await asyncio.gather(*(self._insist(body) for _ in range(self.times)))

    async def tell_again(self) -> None:
        """Repeat what was told long ago: it must change nothing."""
        await asyncio.gather(*(self._insist(body) for body in self._decided[-20:]))

    async def _insist(self, body: bytes) -> None:
        for _ in range(60):
            reply = await self.client.ask("POST", CALLBACK, headers=_sign(body), body=body)
            if reply:
                self.ledger.answer("callback", reply.status, reply.code, waits=reply.retry_after > 0)
                if reply.status not in {429, 503}:
                    self.ledger.callbacks += reply.status == 200
                    return
            await asyncio.sleep(0.5)


def _sign(body: bytes) -> dict[str, str]:
    stamp = str(int(time.time()))
    mac = hmac.new(SECRET.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return {"Payment-Timestamp": stamp, "Payment-Signature": mac, "Content-Type": "application/json"}
