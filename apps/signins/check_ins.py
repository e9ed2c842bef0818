"""What a signed day changes: totals and points in SQL, then, once that is committed, the copies in Redis."""

import logging
from dataclasses import dataclass
from datetime import date
from functools import partial

from django.db import transaction

from apps.redis_kit import client
from apps.signins import points
from apps.signins.models import PointEntry, SignInMonth, Standing
from apps.signins.streaks import bitmaps, leaderboard
from apps.signins.streaks.days import CheckInDays

log = logging.getLogger(__name__)
TOTAL_FIELDS = ("streak", "best", "total", "last_day")


@dataclass(frozen=True)
class CheckInResult:
    """A signed day, what it won, and where the person stands after it."""

    day: date
    new: bool
    streak: int
    best: int
    total: int
    points: int
    won: int


def record_day(standing: Standing, day: date, *, today: date, pays: int = 0) -> CheckInResult:
    """Sign a day for the person whose standing this transaction holds; the second time changes nothing.

    `pays`: points for the day itself. A streak's rewards come on top.
    """
    new = SignInMonth.objects.mark_day(standing.pk, day)
    masks = SignInMonth.objects.filter(user_id=standing.pk).masks()
    signed = CheckInDays.from_masks(masks, until=day)
    standing.set_totals(signed)
    standing.save(update_fields=TOTAL_FIELDS)
    won = points.pay(standing.pk, pays, reason=PointEntry.Reason.SIGN_IN, day=day) if new and pays else 0
    if run := signed.streak_at(day):
        won += points.pay_rewards(standing.pk, run)
    standing.refresh_from_db(fields=["points"])
    month = day.replace(day=1)
    transaction.on_commit(partial(_update_redis, standing, month, masks[month]))
    streak, points_now = standing.current(today), standing.points
    return CheckInResult(day, new, streak, standing.best, standing.total, points_now, won)


def _update_redis(standing: Standing, month: date, mask: int) -> None:
    """Redis follows; while it is away the next sign-in, the next look or the next reconciliation does."""
    try:
        bitmaps.fill_masks({(standing.pk, month): mask})
        leaderboard.add_streaks([standing])
    except client.UNAVAILABLE:
        log.warning("the sign-ins of %s are in SQL alone: Redis is away", standing.pk)
