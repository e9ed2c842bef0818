"""Days in a row, as bits of one number: every rule of streaks is arithmetic on it, without SQL or Redis.

A month's mask has 31 bits as `BITFIELD … GET u31 0` reads them: day 1 is the highest, day 31 the lowest.
"""

from calendar import monthrange
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

DAY = timedelta(days=1)
BITS = 31


@dataclass(frozen=True)
class Run:
    """Neighbouring days that are all signed."""

    first: date
    last: date

    @property
    def length(self) -> int:
        return (self.last - self.first).days + 1


@dataclass(frozen=True)
class Days:
    """Signed days: bit 0 is the day `last`, bit n the day n days before it."""

    bits: int
    last: date

    @classmethod
    def of(cls, masks: Mapping[date, int], *, until: date) -> "Days":
        """Months' masks, keyed by their first days in any order, laid end to end up to `until` or later."""
        known, bits = [*masks, until.replace(day=1)], 0
        first, final = min(known), max(known)
        for month in months(first, final):
            bits = bits << length(month) | masks.get(month, 0) >> (BITS - length(month))
        return cls(bits, final.replace(day=length(final)))

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
        return self.last - (lowest.bit_length() - 1) * DAY if self.bits else None

    def has(self, day: date) -> bool:
        place = (self.last - day).days
        return place >= 0 and bool(self.bits >> place & 1)

    def run(self, day: date) -> Run | None:
        """The run that this day is in."""
        if not self.has(day):
            return None
        place = (self.last - day).days
        unsigned_after = ~self.bits & ((1 << place) - 1)
        after = place - unsigned_after.bit_length()
        return Run(day - (_ones(self.bits >> place) - 1) * DAY, day + after * DAY)

    def current(self, today: date) -> Run | None:
        """The run that today ends or can still continue."""
        if (run := self.run(today) or self.run(today - DAY)) is None:
            return None
        return Run(run.first, min(run.last, today))


def _ones(bits: int) -> int:
    """How many of the lowest bits are set without a gap."""
    return (bits ^ bits + 1).bit_length() - 1


def bit(day: date) -> int:
    """The bit of a day in its month's mask."""
    return 1 << (BITS - day.day)


def of_mask(month: date, mask: int) -> list[date]:
    """The signed days of a month, in order."""
    return [day for day in of_month(month) if mask & bit(day)]


def of_month(month: date) -> list[date]:
    """Every day of a month."""
    return [month.replace(day=number) for number in range(1, length(month) + 1)]


def masks(signed: Iterable[date]) -> dict[date, int]:
    """The masks of a set of days, by month."""
    found: dict[date, int] = {}
    for day in signed:
        month = day.replace(day=1)
        found[month] = found.get(month, 0) | bit(day)
    return found


def months(first: date, final: date) -> list[date]:
    """The first days of the months from one to another, both included."""
    count = (final.year - first.year) * 12 + final.month - first.month + 1
    return [later(first, number) for number in range(count)]


def length(month: date) -> int:
    """Days of a month."""
    return monthrange(month.year, month.month)[1]


def later(month: date, months: int) -> date:
    """The first day of the month so many months later, or earlier when negative."""
    years, number = divmod(month.year * 12 + month.month - 1 + months, 12)
    return date(years, number + 1, 1)
