"""The site's web process without some of its promises, to measure what they cost; for the bench alone.

It is started as config.asgi is, with LEFT_OUT="limits" in its environment.

It replaces functions and pieces of scripts before config.asgi imports them. A piece that is not there any
more fails the start: a promise that is measured is one that was taken out.
"""

import hashlib
import os
from collections.abc import Sequence
from typing import Any
from unittest import mock

from apps.redis_kit import scripts
from lab.bench.seckill.left_out_names import PIECES, PROMISES

#: In place of a claim's signature, which only a consumer checks: the bench runs none.
UNSIGNED = "0" * 32

wanted = os.environ["LEFT_OUT"].split()
if unknown := set(wanted) - set(PROMISES):
    raise SystemExit(f"LEFT_OUT takes {', '.join(PROMISES)}, not {', '.join(sorted(unknown))}")
pieces = {piece: instead for promise in wanted for piece, instead in PIECES[promise].items()}
_found: set[str] = set()
_read_script: Any = scripts.Script.__init__


def _read_without(script: "scripts.Script[Any]", name: str, **options: Any) -> None:
    """Read a script, and take out of it what is left out."""
    _read_script(script, name, **options)
    for piece in pieces:
        if piece in script.text:
            _found.add(piece)
            script.text = script.text.replace(piece, pieces[piece])
    script.sha = hashlib.sha1(script.text.encode(), usedforsecurity=False).hexdigest()
    scripts.NAMES_BY_SHA[script.sha] = name


mock.patch.object(scripts.Script, "__init__", _read_without).start()

# Django's setup comes with the application.
from config.asgi import HttpProtocol, application  # noqa: E402, I001
from apps.coupons.claims import receipts  # noqa: E402
from apps.coupons.gateway import claim_answers  # noqa: E402

if left := set(pieces) - _found:
    raise SystemExit(f"no script has this any more: {'; '.join(sorted(left))}")


def _sign_nothing(_voucher_id: int, claims: Sequence[tuple[int, str]]) -> list[str]:
    return [UNSIGNED] * len(claims)


def _answer_orders_alone(accepted: Sequence[tuple[Any, Any]]) -> list[str]:
    return [
        str(answer.order_id) if claim.variant.is_form else f'{{"order_id": "{answer.order_id}"}}'
        for answer, claim in accepted
    ]


if "receipt" in wanted:
    mock.patch.object(receipts, "sign_claims", _sign_nothing).start()
    mock.patch.object(claim_answers, "fill_accepted", _answer_orders_alone).start()

__all__ = ["HttpProtocol", "application"]
