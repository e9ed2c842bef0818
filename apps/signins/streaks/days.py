"""Streak arithmetic: checked-in days as bits of one integer, without SQL or Redis.

A month's mask has 31 bits as `BITFIELD … GET u31 0` reads them: day 1 is the highest, day 31 the lowest.
"""

from calendar import monthrange
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

ONE_DAY = timedelta(days=1)
MASK_BITS = 31


@dataclass(frozen=True)
class Streak:
    """Consecutive days with check-ins, both ends included."""

    first: date
    last: date

    @property
    def length(self) -> int:
        return (self.last - self.first).days + 1


@dataclass(frozen=True)
class CheckInDays:
    """A person's checked-in days: bit 0 is the day `last`, bit n the day n days before it."""

    bits: int
    last: date

    @classmethod
    def from_masks(cls, masks: Mapping[date, int], *, until: date) -> "CheckInDays":
        """The checked days of months' masks.

        Keys are first days of months, and the range ends with `until` or later.
        """
        all_months, bits = [*masks, until.replace(day=1)], 0
        first, final = min(all_months), max(all_months)
        for month in months_between(first, final):
            bits = bits << month_length(month) | masks.get(month, 0) >> (MASK_BITS - month_length(month))
        return cls(bits, final.replace(day=month_length(final)))

    @property
    def total(self) -> int:
        """The number of days."""
        return self.bits.bit_count()

    @property
    def best(self) -> int:
        """Length of the longest streak."""
        return max(len(run) for run in f"{self.bits:b}".split("0"))

    @property
    def newest(self) -> date | None:
        """The newest day; None without days."""
        lowest = self.bits & -self.bits
        return self.last - (lowest.bit_length() - 1) * ONE_DAY if self.bits else None

    def has(self, day: date) -> bool:
        """Whether the day is among them."""
        position = (self.last - day).days
        return position >= 0 and bool(self.bits >> position & 1)

    def streak_at(self, day: date) -> Streak | None:
        """The streak that includes this day."""
        if not self.has(day):
            return None
        position = (self.last - day).days
        missed_after = ~self.bits & ((1 << position) - 1)
        days_after = position - missed_after.bit_length()
        days_before = _count_low_ones(self.bits >> position) - 1
        return Streak(day - days_before * ONE_DAY, day + days_after * ONE_DAY)

    def current(self, today: date) -> Streak | None:
        """The streak that includes today or yesterday, up to today."""
        if (streak := self.streak_at(today) or self.streak_at(today - ONE_DAY)) is None:
            return None
        return Streak(streak.first, min(streak.last, today))


def _count_low_ones(bits: int) -> int:
    """The number of lowest bits that are set without a gap."""
    return (bits ^ bits + 1).bit_length() - 1


def day_bit(day: date) -> int:
    """The bit of a day in its month's mask."""
    return 1 << (MASK_BITS - day.day)


def days_in_mask(month: date, mask: int) -> list[date]:
    """The days that a month's mask has, in order."""
    return [day for day in days_in_month(month) if mask & day_bit(day)]


def days_in_month(month: date) -> list[date]:
    """Every day of a month."""
    return [month.replace(day=number) for number in range(1, month_length(month) + 1)]


def masks_by_month(checked_days: Iterable[date]) -> dict[date, int]:
    """The days as masks by first day of the month."""
    masks: dict[date, int] = {}
    for day in checked_days:
        month = day.replace(day=1)
        masks[month] = masks.get(month, 0) | day_bit(day)
    return masks


def months_between(first: date, final: date) -> list[date]:
    """The first days of the months from one to another, both included."""
    count = (final.year - first.year) * 12 + final.month - first.month + 1
    return [add_months(first, number) for number in range(count)]


def month_length(month: date) -> int:
    """The number of days in a month."""
    return monthrange(month.year, month.month)[1]


def add_months(month: date, months: int) -> date:
    """The first day of the month that is `months` later, or earlier when negative."""
    years, number = divmod(month.year * 12 + month.month - 1 + months, 12)
    return date(years, number + 1, 1)
