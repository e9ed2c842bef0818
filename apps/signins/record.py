"""What a signed day changes: totals and points in SQL, then, once that is committed, the copies in Redis."""

import logging
from dataclasses import dataclass
from datetime import date
from functools import partial

from django.db import transaction

from apps.redis_kit import client
from apps.signins import bitmaps, leaders, points
from apps.signins.days import Days
from apps.signins.models import PointEntry, SignInMonth, Standing

log = logging.getLogger(__name__)
TOTALS = ("streak", "best", "total", "last_day")


@dataclass(frozen=True)
class Signed:
    """A signed day, what it won, and where the person stands after it."""

    day: date
    new: bool
    streak: int
    best: int
    total: int
    points: int
    won: int


def sign(standing: Standing, day: date, *, today: date, pays: int = 0) -> Signed:
    """Sign a day for the person whose standing this transaction holds; the second time changes nothing.

    `pays`: points for the day itself. A streak's rewards come on top.
    """
    new = SignInMonth.objects.sign(standing.pk, day)
    masks = SignInMonth.objects.filter(user_id=standing.pk).masks()
    signed = Days.of(masks, until=day)
    standing.add_up(signed)
    standing.save(update_fields=TOTALS)
    won = points.pay(standing.pk, pays, reason=PointEntry.Reason.SIGN_IN, day=day) if new and pays else 0
    if run := signed.run(day):
        won += points.reward(standing.pk, run)
    standing.refresh_from_db(fields=["points"])
    month = day.replace(day=1)
    transaction.on_commit(partial(_follow, standing, month, masks[month]))
    streak, points_now = standing.current(today), standing.points
    return Signed(day, new, streak, standing.best, standing.total, points_now, won)


def _follow(standing: Standing, month: date, mask: int) -> None:
    """Redis follows; while it is away the next sign-in, the next look or the next reconciliation does."""
    try:
        bitmaps.fill({(standing.pk, month): mask})
        leaders.enter([standing])
    except client.UNAVAILABLE:
        log.warning("the sign-ins of %s are in SQL alone: Redis is away", standing.pk)
