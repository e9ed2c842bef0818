"""Days in a row, as bits of one number: every rule of streaks is arithmetic on it, without SQL or Redis.

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
    """Neighbouring days that are all signed."""

    first: date
    last: date

    @property
    def length(self) -> int:
        return (self.last - self.first).days + 1


@dataclass(frozen=True)
class CheckInDays:
    """Signed days: bit 0 is the day `last`, bit n the day n days before it."""

    bits: int
    last: date

    @classmethod
    def from_masks(cls, masks: Mapping[date, int], *, until: date) -> "CheckInDays":
        """Months' masks, keyed by their first days in any order, laid end to end up to `until` or later."""
        known, bits = [*masks, until.replace(day=1)], 0
        first, final = min(known), max(known)
        for month in months_between(first, final):
            bits = bits << month_length(month) | masks.get(month, 0) >> (MASK_BITS - month_length(month))
        return cls(bits, final.replace(day=month_length(final)))

    @property
    def total(self) -> int:
        return self.bits.bit_count()

    @property
    def best(self) -> int:
        """Length of the longest run."""
        return max(len(run) for run in f"{self.bits:b}".split("0"))

    @property
    def newest(self) -> date | None:
        """The last signed day."""
        lowest = self.bits & -self.bits
        return self.last - (lowest.bit_length() - 1) * ONE_DAY if self.bits else None

    def has(self, day: date) -> bool:
        place = (self.last - day).days
        return place >= 0 and bool(self.bits >> place & 1)

    def streak_at(self, day: date) -> Streak | None:
        """The run that this day is in."""
        if not self.has(day):
            return None
        place = (self.last - day).days
        unsigned_after = ~self.bits & ((1 << place) - 1)
        after = place - unsigned_after.bit_length()
        return Streak(day - (_count_low_ones(self.bits >> place) - 1) * ONE_DAY, day + after * ONE_DAY)

    def current(self, today: date) -> Streak | None:
        """The run that today ends or can still continue."""
        if (run := self.streak_at(today) or self.streak_at(today - ONE_DAY)) is None:
            return None
        return Streak(run.first, min(run.last, today))


def _count_low_ones(bits: int) -> int:
    """How many of the lowest bits are set without a gap."""
    return (bits ^ bits + 1).bit_length() - 1


def day_bit(day: date) -> int:
    """The bit of a day in its month's mask."""
    return 1 << (MASK_BITS - day.day)


def days_in_mask(month: date, mask: int) -> list[date]:
    """The signed days of a month, in order."""
    return [day for day in days_in_month(month) if mask & day_bit(day)]


def days_in_month(month: date) -> list[date]:
    """Every day of a month."""
    return [month.replace(day=number) for number in range(1, month_length(month) + 1)]


def masks_by_month(signed: Iterable[date]) -> dict[date, int]:
    """The masks of a set of days, by month."""
    found: dict[date, int] = {}
    for day in signed:
        month = day.replace(day=1)
        found[month] = found.get(month, 0) | day_bit(day)
    return found


def months_between(first: date, final: date) -> list[date]:
    """The first days of the months from one to another, both included."""
    count = (final.year - first.year) * 12 + final.month - first.month + 1
    return [add_months(first, number) for number in range(count)]


def month_length(month: date) -> int:
    """Days of a month."""
    return monthrange(month.year, month.month)[1]


def add_months(month: date, months: int) -> date:
    """The first day of the month so many months later, or earlier when negative."""
    years, number = divmod(month.year * 12 + month.month - 1 + months, 12)
    return date(years, number + 1, 1)
