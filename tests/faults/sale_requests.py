"""Sends one person's request and returns everything the response says."""

import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

from tests.faults.fault_site import FaultSite


@dataclass(frozen=True)
class TimedReply:
    """Status, body, seconds of Retry-After (0 without one), and the seconds until the response."""

    status: int
    body: dict[str, Any]
    retry_after: int
    seconds: float

    @property
    def code(self) -> str:
        return str(self.body.get("code", ""))


def send_as_person(
    running_site: FaultSite,
    sale: int,
    number: int,
    *,
    key: str = "once",
    path: str = "",
    method: str = "POST",
    body: dict[str, str] | None = None,
) -> TimedReply:
    """Claim from a sale (or call another path) as person `number`, with a JSON body if there is one."""
    headers = {"Authorization": f"Bearer {running_site.tokens[number]}", "Idempotency-Key": key}
    request = urllib.request.Request(
        running_site.site.base_url + (path or f"/api/vouchers/{sale}/seckill"),
        data=json.dumps(body).encode() if body else None,
        method=method,
        headers=headers | ({"Content-Type": "application/json"} if body else {}),
    )
    began = time.perf_counter()
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return _parse_reply(answer, began)
    except urllib.error.HTTPError as refusal:
        with refusal:
            return _parse_reply(refusal, began)


def hand_in(running_site: FaultSite, sale: int, number: int, receipt: str) -> TimedReply:
    """Show a receipt as person `number`; the same order again when it is back."""
    return send_as_person(running_site, sale, number, body={"receipt": receipt})


def _parse_reply(answer: Any, began: float) -> TimedReply:
    text = answer.read()
    seconds = time.perf_counter() - began
    return TimedReply(answer.status, json.loads(text), int(answer.headers.get("Retry-After") or 0), seconds)
