"""Makes the demo's check-ins of the last weeks and their points; today's is left for the customer to do."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from random import Random

from django.db import transaction
from django.utils import timezone

from apps.demo.social import roles
from apps.signins import clock, points
from apps.signins.models import PointEntry, SignInMonth, Standing
from apps.signins.streaks import days, leaderboard

#: The number of people who check in, and the days back to the earliest check-in.
PEOPLE_COUNT, SPAN_DAYS = 60, 50
CUSTOMER_STREAK_DAYS = 6
Reason = PointEntry.Reason


def make(*, seed: int) -> int:
    """Create the check-ins of people without totals (Standing) yet; returns the number of new days."""
    circle, today = roles.Roles.load(), clock.today()
    signed = {
        one: _days_of_person(place, seed, today) for place, one in enumerate(circle.everybody[:PEOPLE_COUNT])
    }
    signed[circle.customer_id] = _days_of_customer(today)
    for user_id in Standing.objects.filter(pk__in=signed).values_list("pk", flat=True):
        del signed[user_id]
    with transaction.atomic():
        _write_days(signed, today)
    if signed:
        leaderboard.rebuild()
    return sum(map(len, signed.values()))


def _days_of_person(place: int, seed: int, today: date) -> list[date]:
    chance = Random(f"{seed}:sign-ins:{place}")
    faith, since = chance.choice((0.3, 0.6, 0.9, 1.0)), chance.randint(4, SPAN_DAYS)
    return [today - ago * days.ONE_DAY for ago in range(since, -1, -1) if chance.random() < faith]


def _days_of_customer(today: date) -> list[date]:
    """The customer's days: a streak up to yesterday, two single days, and an older streak of nine."""
    ago = [*range(24, 15, -1), 13, 11, *range(CUSTOMER_STREAK_DAYS, 0, -1)]
    return [today - back * days.ONE_DAY for back in ago]


def _write_days(signed: dict[int, list[date]], today: date) -> None:
    masks = {user_id: days.masks_by_month(found) for user_id, found in signed.items()}
    SignInMonth.objects.bulk_create(
        SignInMonth(user_id=user_id, month=month, mask=mask)
        for user_id, months in masks.items()
        for month, mask in months.items()
    )
    entries = [entry for user_id, found in signed.items() for entry in _build_point_entries(user_id, found)]
    PointEntry.objects.bulk_create(sorted(entries, key=lambda entry: entry.created_at))
    standings = []
    for user_id in signed:
        earned = sum(entry.amount for entry in entries if entry.user_id == user_id)
        totals = Standing(user_id=user_id, points=earned)
        totals.set_totals(days.CheckInDays.from_masks(masks[user_id], until=today))
        standings.append(totals)
    Standing.objects.bulk_create(standings)


def _build_point_entries(user_id: int, signed: Sequence[date]) -> Iterator[PointEntry]:
    length, before = 0, date.min
    for day in signed:
        length = length + 1 if day - before == days.ONE_DAY else 1
        before = day
        yield _build_point_entry(user_id, points.DAILY_POINTS, Reason.SIGN_IN, day, on=day)
        for reward in points.REWARDS:
            if length == reward.days:
                yield _build_point_entry(
                    user_id, reward.points, reward.reason, day - (length - 1) * days.ONE_DAY, on=day
                )


def _build_point_entry(
    user_id: int, amount: int, reason: PointEntry.Reason, day: date, *, on: date
) -> PointEntry:
    at = timezone.make_aware(datetime.combine(on, time(8)))
    key = f"{reason}:{user_id}:{day}"
    return PointEntry(user_id=user_id, amount=amount, reason=reason, day=day, key=key, created_at=at)
