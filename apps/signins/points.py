"""Points: check-ins earn them, make-ups cost them. Each movement is a row; the balance is a column of the
totals.

Each function runs inside the transaction that has locked the person's totals (`Standing.objects.locked`).
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
    """The person has fewer points than the amount to take."""


@dataclass(frozen=True)
class Reward:
    """Points for a streak that reaches a number of days, paid once for each streak."""

    days: int
    points: int
    reason: PointEntry.Reason


REWARDS = (Reward(7, 30, Reason.WEEK), Reward(30, 150, Reason.MONTH))


def pay(user_id: int, amount: int, *, reason: PointEntry.Reason, day: date) -> int:
    """Pay points and return the amount; 0 when they were paid before for this reason and day."""
    if not PointEntry.objects.add(user_id, amount, reason=reason, day=day, key=f"{reason}:{user_id}:{day}"):
        return 0
    Standing.objects.credit(user_id, amount)
    return amount


def pay_rewards(user_id: int, streak: Streak) -> int:
    """Pay the rewards for a streak's length that no day of it has earned yet; returns the points paid."""
    reached = [reward for reward in REWARDS if streak.length >= reward.days]
    due = [reward for reward in reached if not _was_rewarded(user_id, reward, streak)]
    return sum(pay(user_id, reward.points, reason=reward.reason, day=streak.first) for reward in due)


def spend(user_id: int, amount: int, *, reason: PointEntry.Reason, day: date) -> None:
    """Take points for a day; raises NotEnoughPoints and changes nothing when they don't suffice."""
    if not Standing.objects.credit(user_id, -amount):
        raise NotEnoughPoints
    key = f"{reason}:{user_id}:{day}"
    PointEntry.objects.create(user_id=user_id, amount=-amount, reason=reason, day=day, key=key)


@transaction.atomic
def adjust(user_id: int, amount: int, *, note: str) -> PointEntry:
    """Give or take points as staff, with the reason in words.

    Raises NotEnoughPoints and changes nothing then.
    """
    Standing.objects.locked(user_id)
    if not Standing.objects.credit(user_id, amount):
        raise NotEnoughPoints
    key = f"{Reason.ADJUSTMENT}:{uuid.uuid4().hex}"
    about = {"user_id": user_id, "amount": amount, "note": note, "day": clock.today()}
    return PointEntry.objects.create(key=key, reason=Reason.ADJUSTMENT, **about)


def _was_rewarded(user_id: int, reward: Reward, streak: Streak) -> bool:
    # A make-up can move a streak's first day or join two streaks, so any day of the streak counts.
    entries = PointEntry.objects.filter(user_id=user_id, reason=reward.reason)
    return entries.filter(day__range=(streak.first, streak.last)).exists()
