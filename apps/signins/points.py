"""Points: what sign-ins earn and make-ups cost. Every movement is a row, and the balance stands beside them.

Each verb runs inside the transaction that holds the person's standing (`Standing.objects.locked`).
"""

import uuid
from dataclasses import dataclass
from datetime import date

from django.db import transaction

from apps.signins import clock
from apps.signins.models import PointEntry, Standing
from apps.signins.streaks.days import Streak

DAILY_POINTS = 5
MAKE_UP_PRICE = 50
Reason = PointEntry.Reason


class NotEnoughPoints(Exception):
    """The person has fewer points than that."""


@dataclass(frozen=True)
class Reward:
    """Points for a streak's length, once a streak."""

    days: int
    points: int
    reason: PointEntry.Reason


REWARDS = (Reward(7, 30, Reason.WEEK), Reward(30, 150, Reason.MONTH))


def pay(user_id: int, amount: int, *, reason: PointEntry.Reason, day: date) -> int:
    """Points paid now: 0 when the person has had them for this reason and day."""
    about = {"user_id": user_id, "amount": amount, "reason": reason, "day": day}
    _, is_new = PointEntry.objects.get_or_create(key=f"{reason}:{user_id}:{day}", defaults=about)
    if not is_new:
        return 0
    Standing.objects.credit(user_id, amount)
    return amount


def pay_rewards(user_id: int, run: Streak) -> int:
    """Points won by a streak's length; none for a streak of which some part has had them."""
    due = [one for one in REWARDS if run.length >= one.days and not _was_rewarded(user_id, one, run)]
    return sum(pay(user_id, one.points, reason=one.reason, day=run.first) for one in due)


def spend(user_id: int, amount: int, *, reason: PointEntry.Reason, day: date) -> None:
    """Take points for a day, or NotEnough."""
    if not Standing.objects.credit(user_id, -amount):
        raise NotEnoughPoints
    key = f"{reason}:{user_id}:{day}"
    PointEntry.objects.create(user_id=user_id, amount=-amount, reason=reason, day=day, key=key)


@transaction.atomic
def adjust(user_id: int, amount: int, *, note: str) -> PointEntry:
    """Give or take points by hand, with the reason in words; NotEnough leaves all as it was."""
    Standing.objects.locked(user_id)
    if not Standing.objects.credit(user_id, amount):
        raise NotEnoughPoints
    key = f"{Reason.ADJUSTMENT}:{uuid.uuid4().hex}"
    about = {"user_id": user_id, "amount": amount, "note": note, "day": clock.today()}
    return PointEntry.objects.create(key=key, reason=Reason.ADJUSTMENT, **about)


def _was_rewarded(user_id: int, one: Reward, run: Streak) -> bool:
    # A make-up moves the first day of a streak, or joins two: the days between tell them apart.
    entries = PointEntry.objects.filter(user_id=user_id, reason=one.reason)
    return entries.filter(day__range=(run.first, run.last)).exists()
