"""POST /api/vouchers/<id>/seckill in the event loop: those who ask at the same time share a call.

The rules are those of the Django view (api.seckill): the same scripts, limits, refusals and sentences. Here
three batchers put the questions of many requests together: who is it, may they try, do they get a unit.
Whatever is out of the ordinary (a cookie, a charset, a strange id) is answered by Django, behind.
Source: docs/performance.md; settings.SALE_GATEWAY turns it off.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

from django.db import close_old_connections
from redis.exceptions import ConnectionError as ConnectionLost

from apps.accounts import keys as account_keys
from apps.accounts import token_copies, tokens
from apps.coupons import dressing, keys, limits, loading, purchases, refusals, seckill
from apps.coupons.dressing import Dress, Manner
from apps.coupons.refusals import BY_OUTCOME as _REFUSALS
from apps.coupons.seckill import Claim, Outcome
from apps.problems import Problem, translation
from apps.problems.ids import LARGEST
from apps.redis_kit import batching, client, crash, limiter, scripts

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
#: dressing.refused for one manner of asking.
Say = partial[Dress]

BEFORE, AFTER = "/api/vouchers/", "/seckill"
#: More in one script call would hold Redis for longer than two milliseconds.
MOST = 128
#: Headers that change what an answer says; any of UNUSUAL is Django's business.
TELLING = {
    b"host": "HTTP_HOST",
    b"accept-language": "HTTP_ACCEPT_LANGUAGE",
    b"x-forwarded-proto": "HTTP_X_FORWARDED_PROTO",
}
UNUSUAL = {
    b"cookie",
    b"transfer-encoding",
    b"content-encoding",
    b"content-type",
    b"content-length",
    b"origin",
}
#: Questions to SQL at once: tokens that Redis has forgotten, sales that it does not know.
SQL_THREADS = 4
#: Seconds for which an answer about a sale that isn't open is good for everybody, and how many are kept.
RECENT, KNOWN = 0.1, 10_000


class Ask(NamedTuple):
    """One claim on its way: voucher, person, request token."""

    voucher_id: int
    user_id: int
    request_token: str


class Gateway:
    """An ASGI application in front of another."""

    def __init__(self, behind: Application) -> None:
        self._behind = behind
        self._threads = ThreadPoolExecutor(SQL_THREADS, thread_name_prefix="gateway-sql")
        self._tokens = batching.Batcher(_resolve, most=MOST)
        self._limits = batching.Batcher(_charge, most=MOST)
        self._claims = [batching.Batcher(_claim, most=MOST) for _ in range(keys.PARTITIONS)]
        self._lately: dict[tuple[Callable[..., Any], int], tuple[float, asyncio.Future[Any]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _plain(scope) if scope["type"] == "http" else None
        if headers is None:
            await self._behind(scope, receive, send)
            return
        say = partial(dressing.refused, _manner(scope["scheme"], headers))
        try:
            dress, gap = await self._decide(_voucher_id(scope["path"]), headers, say)
        except client.UNAVAILABLE:
            dress, gap = say(refusals.BUSY.problem), ""
        status, answer_headers, body = dress.filled(gap)
        await send({"type": "http.response.start", "status": status, "headers": answer_headers})
        await send({"type": "http.response.body", "body": body})

    async def _decide(self, voucher_id: int, headers: dict[bytes, bytes], say: Say) -> tuple[Dress, str]:
        """The answer, and what goes into its gap."""
        user_id = await self._user(headers.get(b"authorization", b""))
        if user_id is None:
            return say(translation.of_status, 401), ""
        try:
            token = purchases.request_token(_text(headers.get(b"idempotency-key")))
        except Problem:
            return say(refusals.bad_token), ""
        verdict = await self._limits.ask(user_id)
        if not verdict.allowed:
            return say(refusals.too_many, verdict.retry_after), ""
        claim = await self._claims[keys.partition_of(voucher_id)].ask(Ask(voucher_id, user_id, token))
        crash.point("decided")
        return await self._said(voucher_id, claim, say)

    async def _user(self, header: bytes) -> int | None:
        kind, _, raw = header.decode("latin-1").partition(" ")
        if kind.lower() != "bearer" or not tokens.is_shaped(raw):
            return None
        hashed = tokens.digest(raw)
        copy = await self._tokens.ask(hashed)
        if copy.state is token_copies.State.LIVE:
            return copy.user_id
        login = await self._in_thread(tokens.settle, copy, hashed)
        return login.user_id if login else None

    async def _said(self, voucher_id: int, claim: Claim, say: Say) -> tuple[Dress, str]:
        outcome = claim.outcome
        if outcome is Outcome.ACCEPTED:
            return dressing.accepted(say.args[0]), str(claim.order_id)
        if outcome is Outcome.ALREADY_BOUGHT:
            return say(refusals.ALREADY_BOUGHT.problem, gap="order_id"), str(claim.order_id)
        if outcome is Outcome.NOT_STARTED:
            return say(_REFUSALS[outcome].problem, gap="begins_at"), await self._recent(
                _begins_at, voucher_id
            )
        if outcome is Outcome.NOT_READY and not await self._recent(_load, voucher_id):
            return say(refusals.NOT_FOUND.problem), ""
        return say(_REFUSALS[outcome].problem), ""

    async def _recent(self, act: Callable[[int], Any], voucher_id: int) -> Any:
        """What `act` said of a voucher a moment ago, or says now: a crowd asks once."""
        now, known = time.monotonic(), self._lately.get((act, voucher_id))
        if known is None or now - known[0] > RECENT:
            if len(self._lately) > KNOWN:
                self._lately.clear()
            known = self._lately[act, voucher_id] = (
                now,
                asyncio.ensure_future(self._in_thread(act, voucher_id)),
            )
        return await asyncio.shield(known[1])

    async def _in_thread(self, act: Callable[..., Any], *arguments: object) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, _in_sql, act, *arguments)


def _in_sql(act: Callable[..., Any], *arguments: object) -> Any:
    """What `act` says; as at a request's end, a connection that is too old is given back."""
    try:
        return act(*arguments)
    finally:
        close_old_connections()


def _load(voucher_id: int) -> bool:
    """Whether it is a sale, which is being loaded now."""
    loading.request(voucher_id)
    return purchases.is_on_sale(voucher_id)


def _begins_at(voucher_id: int) -> str:
    return purchases.begins_at(voucher_id) or ""


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("latin-1")


def _plain(scope: Scope) -> dict[bytes, bytes] | None:
    """The headers of a claim as programs make it; None for everything that is Django's."""
    path = scope["path"]
    if scope["method"] != "POST" or not path.startswith(BEFORE) or not path.endswith(AFTER):
        return None
    if scope["query_string"] or not _voucher_id(path):
        return None
    headers = dict(scope["headers"])
    odd = UNUSUAL & headers.keys()
    if odd and (odd != {b"content-length"} or headers[b"content-length"] != b"0"):
        return None
    return headers if len(headers) == len(scope["headers"]) else None


def _voucher_id(path: str) -> int:
    """The number in the path, 0 when it isn't one that a row can have."""
    digits = path[len(BEFORE) : -len(AFTER)]
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20):
        return 0
    number = int(digits)
    return number if number <= LARGEST else 0


def _manner(scheme: str, headers: dict[bytes, bytes]) -> Manner:
    found = [
        (name, headers[header].decode("latin-1")) for header, name in TELLING.items() if header in headers
    ]
    return Manner((*found, ("wsgi.url_scheme", scheme)))


async def _resolve(digests: Sequence[str]) -> Sequence[token_copies.Copy]:
    named = [account_keys.TOKEN(digest=digest) for digest in digests]
    return await token_copies.RESOLVE.acall(
        client.aget("gateway"), keys=named, args=token_copies.RESOLVE_ARGS
    )


async def _charge(users: Sequence[int]) -> Sequence[limiter.Verdict]:
    called, args = limiter.batch(limits.CLAIMS, users)
    raw = await limiter.HIT.acall(client.aget("gateway"), keys=called, args=args)
    return limiter.verdicts([limits.CLAIMS], raw)


async def _claim(asked: Sequence[Ask]) -> Sequence[Claim]:
    """One call for each voucher among them; a lost connection is tried again, which the tokens make safe."""
    answers: dict[Ask, Claim] = {}
    for voucher_id in {ask.voucher_id for ask in asked}:
        mine = [ask for ask in asked if ask.voucher_id == voucher_id]
        claims = [text for ask in mine for text in (str(ask.user_id), ask.request_token)]
        found = await _once_more(seckill.CLAIM, *seckill.batch(voucher_id, claims))
        answers |= zip(mine, found, strict=True)
    return [answers[ask] for ask in asked]


async def _once_more(
    script: "scripts.Script[list[Claim]]", called: Sequence[str], args: Sequence[Any]
) -> list[Claim]:
    try:
        return await script.acall(client.aget("gateway"), keys=called, args=args)
    except ConnectionLost:
        return await script.acall(client.aget("gateway"), keys=called, args=args)
