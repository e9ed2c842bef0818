"""Serving ads: choose one for a page, and record what its viewer does. Redis alone decides.

    served = serving.choose("shop", ["hot pot"], targeting.page_locations("Shanghai", "Hongkou"), viewer)
    serving.record_view(served.ticket, viewer)

Every function raises client.UNAVAILABLE while Redis is away: the page then shows no ad.
"""

import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any, NamedTuple

from django.utils import timezone

from apps.ads import keys, limits, targeting
from apps.ads.learning import repricing
from apps.ads.viewer import Viewer
from apps.metrics import gathering
from apps.redis_kit import client, scripts

#: A view within 15 minutes of serving, a click within 15 of the view, an action within a day of the click.
TICKET_SECONDS = {"serve": 900, "view": 900, "click": 86_400, "action": 86_400}
#: Nobody reads an ad and clicks it within half a second.
MIN_CLICK_MS = 500
SEEN_SECONDS = 86_400
HIDDEN_TTL = timedelta(days=30)
TICKET_PATTERN = re.compile(r"(\d{1,19})-([A-Za-z0-9_-]{22})", re.ASCII)
_TICKET_BYTES = 16


class Outcome(IntEnum):
    """What `record_event.lua` decides about a view, click or action."""

    UNKNOWN = 0
    COUNTED = 1
    CHARGED = 2
    REPEATED = 3
    INVALID = 4
    UNPAID = 5


@dataclass(frozen=True)
class Served:
    """An ad for a page: the words that matched, the place that matched, eCPM and value in micros."""

    ticket: str
    ad_id: int
    words: tuple[str, ...]
    location: str
    ecpm: int
    value: int


class Recorded(NamedTuple):
    """What became of a view, click or action."""

    outcome: Outcome
    charged_micros: int = 0
    is_due: bool = False


CHOOSE = scripts.Script("choose_ad", package="apps.ads", reply=list[Any])
RECORD = scripts.Script(
    "record_event",
    package="apps.ads",
    reply=lambda raw: Recorded(Outcome(raw[0]), int(raw[1]), bool(raw[2])),
)


def choose(
    place: str,
    words: Iterable[str],
    locations: Sequence[str],
    viewer: Viewer,
    *,
    at: datetime | None = None,
) -> Served | None:
    """The ad of the highest value for a page, or None when none may run; `at` is now, except in simulations.

    `words` are the page's, the most telling first; `locations` come from targeting.page_locations.
    """
    random_part = secrets.token_urlsafe(_TICKET_BYTES)
    now = timezone.localtime(at)
    call_keys = _choose_keys(random_part, viewer, now, locations)
    args: list[scripts.Arg] = [
        *(random_part, viewer.key, place, int(viewer.is_free)),
        *(TICKET_SECONDS["serve"], now.hour, keys.DAY_TTL_SECONDS, keys.REQUESTS_TTL_SECONDS),
        *targeting.normalize_words(words),
    ]
    chosen = CHOOSE(client.get(), keys=call_keys, args=args)
    if not chosen:
        return None
    ad_id, number, ecpm, value, *matched = chosen
    ticket = f"{ad_id}-{random_part}"
    return Served(ticket, int(ad_id), tuple(matched), locations[int(number) - 1], int(ecpm), int(value))


def record_view(ticket: str, viewer: Viewer, *, at: datetime | None = None) -> Recorded:
    """Record that a served ad was seen: once a ticket, paid by CPM campaigns."""
    return _record("view", ticket, viewer, at)


def record_click(ticket: str, viewer: Viewer, *, at: datetime | None = None) -> Recorded:
    """Record a click on an ad that was seen for half a second: once a ticket, paid by CPC campaigns."""
    return _record("click", ticket, viewer, at)


def record_action(ticket: str, viewer: Viewer, *, at: datetime | None = None) -> Recorded:
    """Record what the advertiser wants, within a day of the click: once a ticket, paid by CPA campaigns."""
    return _record("action", ticket, viewer, at)


def hide(ticket: str, viewer: Viewer) -> bool:
    """Keep the ticket's ad from this viewer for 30 days; False for a ticket that is not this viewer's."""
    found = TICKET_PATTERN.fullmatch(ticket)
    if not found:
        return False
    connected = client.get()
    if connected.hmget(keys.TICKET(ticket=found[2]), ["ad", "viewer"]) != [found[1], viewer.key]:
        return False
    hidden_key = keys.HIDDEN(viewer=viewer.key)
    with connected.pipeline(transaction=False) as pipe:
        pipe.sadd(hidden_key, found[1])
        pipe.expire(hidden_key, HIDDEN_TTL)
        pipe.execute()
    return True


def _record(kind: str, ticket: str, viewer: Viewer, at: datetime | None) -> Recorded:
    found = TICKET_PATTERN.fullmatch(ticket)
    if not found:
        return Recorded(Outcome.UNKNOWN)
    ad_id, random_part = int(found[1]), found[2]
    is_free = viewer.is_free or (kind == "click" and viewer.is_new)
    limited = limits.MAX_PAID_A_DAY[kind] if viewer.ip else (0, 0)
    args: list[scripts.Arg] = [
        *(kind, found[1], random_part, viewer.key, viewer.user_id or "", int(is_free)),
        *(TICKET_SECONDS[kind], MIN_CLICK_MS, keys.DAY_TTL_SECONDS, SEEN_SECONDS, *limited),
    ]
    recorded = RECORD(
        client.get(), keys=_record_keys(ad_id, random_part, viewer, timezone.localtime(at)), args=args
    )
    if recorded.outcome in {Outcome.COUNTED, Outcome.CHARGED}:
        gathering.count(f"ads.{kind}s")
    if recorded.is_due:
        repricing.reprice(ad_id)
    return recorded


def _choose_keys(random_part: str, viewer: Viewer, now: datetime, locations: Sequence[str]) -> list[str]:
    day = keys.day_name(now.date())
    return [
        keys.ADS(),
        keys.CAMPAIGNS(),
        keys.LEFT(),
        keys.RATES(),
        keys.SPENT(day=day),
        keys.SEEN(viewer=viewer.key),
        keys.HIDDEN(viewer=viewer.key),
        keys.TICKET(ticket=random_part),
        keys.DAY(day=day),
        keys.REQUESTS(day=day),
        keys.CHANGED(),
        *(keys.PLACE(place=location) for location in locations),
    ]


def _record_keys(ad_id: int, random_part: str, viewer: Viewer, now: datetime) -> list[str]:
    day = keys.day_name(now.date())
    return [
        keys.TICKET(ticket=random_part),
        keys.COUNTS(ad=ad_id),
        keys.TYPES(),
        keys.CAMPAIGNS(),
        keys.LEFT(),
        keys.SPENT(day=day),
        keys.DAY(day=day),
        keys.SEEN(viewer=viewer.key),
        keys.CHARGES(),
        keys.CHANGED(),
        *(keys.NETWORK(network=network) for network in viewer.networks),
    ]
