"""One request of one person, with everything that the answer says."""

import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

from tests.faults.ground import Ground


@dataclass(frozen=True)
class Said:
    """Status, body, seconds of Retry-After (0 without one), and how long it took."""

    status: int
    body: dict[str, Any]
    retry_after: int
    seconds: float

    @property
    def code(self) -> str:
        return str(self.body.get("code", ""))


def ask(
    ground: Ground, sale: int, number: int, *, key: str = "once", path: str = "", method: str = "POST"
) -> Said:
    """Person `number` presses the button of a sale (or calls another path)."""
    request = urllib.request.Request(
        ground.site.base_url + (path or f"/api/vouchers/{sale}/seckill"),
        method=method,
        headers={"Authorization": f"Bearer {ground.tokens[number]}", "Idempotency-Key": key},
    )
    began = time.perf_counter()
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return _said(answer, began)
    except urllib.error.HTTPError as refusal:
        with refusal:
            return _said(refusal, began)


def _said(answer: Any, began: float) -> Said:
    text = answer.read()
    seconds = time.perf_counter() - began
    return Said(answer.status, json.loads(text), int(answer.headers.get("Retry-After") or 0), seconds)
