"""Decides claims on a flash sale in Redis (claim.lua): window, limit of a person, stock, streak.

A sale for people with some check-ins in a row answers STREAK_UNKNOWN to claims that would be accepted: then
SQL says how many these people have (`read_streaks`), and the claims are decided with that.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple, Protocol, TypeVar

from django.conf import settings
from redis.exceptions import ConnectionError as ConnectionLost
from redis.exceptions import ResponseError

from apps.coupons import keys, refusals
from apps.coupons.claims import receipts, replicas
from apps.metrics import gathering
from apps.redis_kit import client, fault_injection, ids, scripts, transport
from apps.redis_kit.transport import AsyncTransport
from apps.signins import clock
from apps.signins.models import Standing
from apps.web.problems import Problem, translation


class Outcome(IntEnum):
    """What became of a claim: first what `claim.lua` decides, by its numbers, then what ends it earlier."""

    NOT_READY = 0
    ACCEPTED = 1
    ALREADY_BOUGHT = 2
    NOT_STARTED = 3
    ENDED = 4
    SOLD_OUT = 5
    BUSY = 6
    NOT_FOUND = 7
    #: The sale asks for check-ins in a row, and the claim didn't bring the person's.
    STREAK_UNKNOWN = 8
    STREAK_TOO_SHORT = 9
    TOO_OFTEN = 10
    #: Redis has no copy of the log-in; SQL may know it.
    LOG_IN_UNKNOWN = 11
    NOT_LOGGED_IN = 12

    @property
    def is_decided(self) -> bool:
        """Whether the sale decided it."""
        return self <= Outcome.STREAK_TOO_SHORT and self is not Outcome.STREAK_UNKNOWN

    @property
    def needs_fact(self) -> bool:
        """Whether its answer needs a fact that neither the claim nor the decision brought: from SQL, or
        another look into Redis. The event loop answers all others by itself.
        """
        return self in _NEEDING_FACT


_NEEDING_FACT = frozenset(
    {Outcome.NOT_STARTED, Outcome.NOT_READY, Outcome.STREAK_UNKNOWN, Outcome.LOG_IN_UNKNOWN}
)
REFUSALS = {
    Outcome.NOT_READY: refusals.NOT_READY,
    Outcome.NOT_STARTED: refusals.NOT_STARTED,
    Outcome.ENDED: refusals.ENDED,
    Outcome.SOLD_OUT: refusals.SOLD_OUT,
    Outcome.BUSY: refusals.BUSY,
    Outcome.NOT_FOUND: refusals.NOT_FOUND,
}


@dataclass(slots=True, unsafe_hash=True)
class ClaimAnswer:
    """What became of one claim; `order_id` comes with ACCEPTED and ALREADY_BOUGHT.

    `epoch` is the load of the sale that has decided it: a repeated claim may hear a later one. `per_person`
    is how many one person may have of it. `days_to_go` are the check-ins that are missing, with
    STREAK_TOO_SHORT; `retry_after` are seconds, with TOO_OFTEN.
    """

    outcome: Outcome
    order_id: int | None = None
    epoch: int = field(default=0, compare=False)
    per_person: int = 1
    days_to_go: int = 0
    retry_after: int = 0

    def refuse(self, order_id: int | None = None) -> tuple[Callable[..., Problem], tuple[int | None, ...]]:
        """What builds the Problem of a claim that got nothing, and its arguments; for outcomes that need no
        fact. `order_id` is its own.
        """
        if self.outcome is Outcome.ALREADY_BOUGHT:
            return refusals.already_bought, (order_id or self.order_id, self.per_person)
        if self.outcome is Outcome.STREAK_TOO_SHORT:
            return refusals.streak_too_short, (self.days_to_go,)
        if self.outcome is Outcome.TOO_OFTEN:
            return refusals.too_many_requests, (self.retry_after,)
        if self.outcome is Outcome.NOT_LOGGED_IN:
            return translation.from_status, (401,)
        return REFUSALS[self.outcome].problem, ()


class Claimed(Protocol):
    """The sale and the person of a claim, whoever has read it."""

    @property
    def voucher_id(self) -> int: ...

    @property
    def user_id(self) -> int: ...


class Claim(NamedTuple):
    """One person's claim on one sale."""

    voucher_id: int
    user_id: int
    request_token: str


#: The user id and the request token of each claim on one sale.
SaleClaims = Sequence[tuple[int, str]]
NO_STREAKS: Mapping[int, int] = {}
#: What becomes of a claim, or why nothing could be decided.
Decision = ClaimAnswer | Exception
Reply = TypeVar("Reply")

_OUTCOMES = tuple(Outcome)
_COUNTERS = {outcome: f"claims.{outcome.name.lower()}" for outcome in Outcome if outcome.is_decided}
_ANSWERS_WITHOUT_ORDER = tuple(ClaimAnswer(outcome) for outcome in Outcome)


def parse_answers(raw: Sequence[Any]) -> list[ClaimAnswer]:
    """The answers in the order of the claims, from claim.lua's flat list: outcomes, order ids, epoch.

    The limit of a person comes last where it is more than one.
    """
    if not raw:
        return []
    decided = (len(raw) - 1) // 2 * 2
    epoch, per_person = (*raw[decided:], 1)[:2]
    return [
        _ANSWERS_WITHOUT_ORDER[outcome]
        if not number
        else ClaimAnswer(_OUTCOMES[outcome], days_to_go=int(number))
        if outcome == Outcome.STREAK_TOO_SHORT
        else ClaimAnswer(_OUTCOMES[outcome], int(number), epoch, per_person)
        for outcome, number in zip(raw[:decided:2], raw[1:decided:2], strict=True)
    ]


READ_RULES = scripts.Script("read_rules", package="apps.coupons.claims", reply=list)
CLAIM = scripts.Script("claim", package="apps.coupons.claims", reply=parse_answers, parts=(READ_RULES,))


def claim(voucher_id: int, *, user_id: int, request_token: str) -> ClaimAnswer:
    """Decide one claim; repeating the request token of an accepted claim gives the same result.

    Raises `client.UNAVAILABLE` when Redis is away: the decision is unknown then, and the same request token
    may be sent again.
    """
    return claim_many({voucher_id: [(user_id, request_token)]})[0]


def claim_many(claims_by_sale: Mapping[int, SaleClaims]) -> list[ClaimAnswer]:
    """Decide the claims on each voucher id, in one round trip; answers in their order, sale after sale.

    Sales that ask for check-ins in a row cost a query and another round trip. Raises `client.UNAVAILABLE`
    also when one was accepted and too few replicas have it.
    """
    claims = [Claim(voucher_id, *each) for voucher_id, some in claims_by_sale.items() for each in some]
    answers = _run(claims, {})
    if any(answer.outcome is Outcome.STREAK_UNKNOWN for answer in answers):
        # All of them again: what was accepted is answered alike to the same request token.
        answers = _run(claims, read_streaks([claim.user_id for claim in claims]))
    return answers


def _run(claims: Sequence[Claim], streaks: Mapping[int, int]) -> list[ClaimAnswer]:
    return scripts.raise_errors(transport.run_blocking(client.get(), decide, claims, streaks))


def read_streaks(user_ids: Collection[int]) -> dict[int, int]:
    """How many check-ins in a row these people have, as SQL says."""
    return Standing.objects.current_streaks(user_ids, clock.today())


async def decide(
    transport: AsyncTransport, claims: Sequence[Claim], streaks: Mapping[int, int]
) -> Sequence[Decision]:
    """The decision about each claim, in one exchange; `streaks` are the people's check-ins in a row."""
    indexes_by_sale: dict[int, list[int]] = {}
    for index, claim in enumerate(claims):
        indexes_by_sale.setdefault(claim.voucher_id, []).append(index)
    calls = [
        build_call(voucher_id, [claims[index][1:] for index in indexes], streaks)
        for voucher_id, indexes in indexes_by_sale.items()
    ]
    replies = await send(transport, CLAIM, calls)
    decisions: dict[int, Decision] = {}
    for indexes, reply in zip(indexes_by_sale.values(), replies, strict=True):
        of_sale = [reply] * len(indexes) if isinstance(reply, Exception) else reply
        decisions |= zip(indexes, of_sale, strict=True)
    return await confirm(transport, claims, [decisions[index] for index in range(len(claims))])


def build_call(voucher_id: int, claims: SaleClaims, streaks: Mapping[int, int] = NO_STREAKS) -> scripts.Call:
    """(keys, args) of CLAIM for a batch of claims on one sale."""
    args: list[scripts.Arg] = [ids.EPOCH, settings.SALE_IN_FLIGHT_LIMIT, voucher_id]
    args += [keys.partition_of(voucher_id), len(claims)]
    args += [user_id for user_id, _ in claims]
    args += [request_token for _, request_token in claims]
    args += receipts.sign_claims(voucher_id, claims)
    if streaks:
        args += [streaks[user_id] for user_id, _ in claims]
    return keys.for_sale(voucher_id), args


async def send(
    transport: AsyncTransport, script: scripts.Script[Reply], calls: Sequence[scripts.Call]
) -> list[Reply | Exception]:
    """Run CLAIM, or a script that has it as a part, once per call; an error is a value among the replies."""
    try:
        return await script.acall_each(transport, calls)
    except ConnectionLost:
        # Tried once more: request tokens make it safe; a try may count twice.
        return await script.acall_each(transport, calls)


async def confirm(
    transport: AsyncTransport, claims: Sequence[Claimed], decisions: Sequence[Decision]
) -> Sequence[Decision]:
    """The decisions about these claims, when what was accepted is safe.

    Where too few replicas have the accepted claims in time (settings.SALE_REPLICAS) they have an error.
    """
    if fault_injection.is_armed:
        fault_injection.point("decided")
    _count_outcomes(decisions)
    if not settings.SALE_REPLICAS:
        return decisions
    accepted = {
        index: replicas.Accepted(claim.voucher_id, claim.user_id, decision.order_id, decision.per_person)
        for index, (claim, decision) in enumerate(zip(claims, decisions, strict=True))
        if isinstance(decision, ClaimAnswer) and decision.outcome is Outcome.ACCEPTED
    }
    try:
        if accepted:
            await replicas.await_copies(transport, accepted.values())
    except client.UNAVAILABLE as error:
        return [error if index in accepted else decision for index, decision in enumerate(decisions)]
    return decisions


def _count_outcomes(decisions: Iterable[Decision]) -> None:
    """Count the decided claims by outcome: `claims.accepted`, `claims.sold_out`."""
    if gathering.is_active:
        outcomes = [decision.outcome for decision in decisions if isinstance(decision, ClaimAnswer)]
        for outcome, times in Counter(outcomes).items():
            if outcome.is_decided:
                gathering.count(_COUNTERS[outcome], times)


def read_stock(voucher_id: int) -> int | None:
    """The stock that is left, for display; None when the sale isn't loaded."""
    try:
        stock = client.get().get(keys.for_sale(voucher_id).stock)
    except ResponseError:
        return None
    return int(stock) if isinstance(stock, str) and re.fullmatch(r"[0-9]{1,15}", stock) else None


def find_order_id(voucher_id: int, *, user_id: int, piece: int = 0) -> int | None:
    """The id of the person's order of that piece in this sale, or None."""
    try:
        entry = client.get().hget(keys.for_sale(voucher_id).buyers, keys.buyers_field(user_id, piece))
    except ResponseError:
        return None
    return int(entry.partition(":")[0]) if isinstance(entry, str) else None
