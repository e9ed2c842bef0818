"""Notices of a provider as JSON: {"reference", "outcome": "succeeded" | "failed", "amount", "currency",
"reason"}.
"""

import json
import re
from typing import Any

from apps.coupons.payments.provider import Malformed, Notice
from apps.web.problems.parsing import is_storable_text

REFERENCE_PATTERN = re.compile(r"[0-9a-f]{32}")
CURRENCY_PATTERN = re.compile(r"[A-Z]{3}")
OUTCOMES = {"succeeded": True, "failed": False}
MAX_REASON_LENGTH = 200


def serialize(notice: Notice) -> bytes:
    """The JSON body of a callback with this notice."""
    outcome = "succeeded" if notice.succeeded else "failed"
    content = {"reference": notice.reference, "outcome": outcome, "reason": notice.reason}
    return json.dumps(content | {"amount": notice.amount, "currency": notice.currency}).encode()


def parse(body: bytes) -> Notice:
    """The notice in a callback's body; raises Malformed with the field at fault."""
    content = _parse_object(body)
    outcome, reason = content.get("outcome"), content.get("reason", "")
    if not isinstance(outcome, str) or outcome not in OUTCOMES:
        raise Malformed('"outcome" is "succeeded" or "failed"')
    if not isinstance(reason, str) or not is_storable_text(reason):
        raise Malformed('"reason" is a text')
    return Notice(
        reference=_read_matching(content, "reference", REFERENCE_PATTERN),
        succeeded=OUTCOMES[outcome],
        amount=_check_amount(content.get("amount")),
        currency=_read_matching(content, "currency", CURRENCY_PATTERN),
        reason=reason[:MAX_REASON_LENGTH],
    )


def _parse_object(body: bytes) -> dict[str, Any]:
    try:
        content = json.loads(body)
    # Deep nesting is a RecursionError, a number of 5,000 digits and bytes that are no text are ValueErrors.
    except (ValueError, RecursionError) as error:
        raise Malformed("the body is not JSON") from error
    if not isinstance(content, dict):
        raise Malformed("the body is not an object")
    return content


def _read_matching(content: dict[str, Any], name: str, shape: "re.Pattern[str]") -> str:
    found = content.get(name)
    if not isinstance(found, str) or not shape.fullmatch(found):
        raise Malformed(f'"{name}" is missing or misshaped')
    return found


def _check_amount(found: object) -> int:
    # True is an int in Python, and no amount.
    if type(found) is not int or found < 0:
        raise Malformed('"amount" is a whole number of minor units')
    return found
