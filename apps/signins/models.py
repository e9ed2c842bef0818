"""Tables of check-ins: months as bit masks, totals of each person, point entries."""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.signins.streaks import days
from apps.web.compiled_queries import Change, CompiledInsert, CompiledQuery, CompiledUpdate

FULL_MONTH_MASK = 2**days.MASK_BITS - 1


class MonthQuerySet(models.QuerySet["SignInMonth"]):
    def masks(self) -> dict[date, int]:
        """{first day of the month: mask} of a query that has one person's rows."""
        return dict(self.values_list("month", "mask"))

    def mark_day(self, user_id: int, day: date) -> bool:
        """Set the day's bit in one statement; False when it was set already."""
        month = day.replace(day=1)
        _insert_month(user_id, month)
        return _set_day_bit(user_id, month, days.day_bit(day)) == 1

    def masks_of(self, user_id: int) -> dict[date, int]:
        """{first day of the month: mask} of a person."""
        return dict(_query_masks(user_id))


class SignInMonth(models.Model):
    """The days of a month on which a person checked in, in the site's time zone; apps.signins.streaks.days
    explains `mask`.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="sign_in_months",
        verbose_name=_("person"),
        db_index=False,
    )
    month = models.DateField(_("month"), help_text=_("its first day"))
    mask = models.PositiveIntegerField(default=0)

    objects = MonthQuerySet.as_manager()

    class Meta:
        verbose_name = _("month of check-ins")
        verbose_name_plural = _("months of check-ins")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "month"], name="signins_one_row_a_month"),
            models.CheckConstraint(condition=Q(mask__lte=FULL_MONTH_MASK), name="signins_31_days"),
        ]

    def __str__(self) -> str:
        return f"{self.user} {self.month:%Y-%m}"


class StandingQuerySet(models.QuerySet["Standing"]):
    def locked(self, user_id: int) -> "Standing":
        """A person's row, created if it is missing and locked until the transaction ends."""
        _insert_standing(user_id)
        return _query_locked_standing(user_id)[0]

    def with_live_streak(self, today: date) -> Self:
        """Active people whose streak includes today or yesterday."""
        return self.filter(last_day__gte=today - days.ONE_DAY, user__is_active=True)

    def current_streaks(self, user_ids: Collection[int], today: date) -> dict[int, int]:
        """{person: check-ins in a row up to today or yesterday}, 0 for those without."""
        live = self.with_live_streak(today).filter(pk__in=user_ids)
        return dict.fromkeys(user_ids, 0) | dict(live.values_list("pk", "streak"))

    def credit(self, user_id: int, amount: int) -> bool:
        """Add points, or take them when negative; False, and nothing changed, when they don't suffice."""
        return _add_points(user_id, amount, max(0, -amount)) == 1


class Standing(models.Model):
    """Totals of a person's check-ins and points, updated in the transaction of each; reconcile proves them.

    `streak` counts the days in a row up to `last_day`. It is over once `last_day` is before yesterday.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        primary_key=True,
        related_name="sign_ins",
        verbose_name=_("person"),
    )
    points = models.PositiveIntegerField(_("points"), default=0)
    streak = models.PositiveIntegerField(_("streak"), default=0)
    best = models.PositiveIntegerField(_("best streak"), default=0)
    total = models.PositiveIntegerField(_("days in all"), default=0)
    last_day = models.DateField(_("last check-in"), null=True)

    objects = StandingQuerySet.as_manager()

    class Meta:
        verbose_name = _("check-in totals")
        verbose_name_plural = _("check-in totals")
        indexes: ClassVar = [models.Index(fields=["-streak", "last_day"], name="signins_leaders")]

    def __str__(self) -> str:
        return str(self.user)

    def current(self, today: date) -> int:
        """The streak if `last_day` is today or yesterday, else 0."""
        return self.streak if self.last_day and self.last_day >= today - days.ONE_DAY else 0

    def set_totals(self, checked_days: days.CheckInDays) -> None:
        """Compute the totals from the checked days, without saving."""
        newest = checked_days.newest
        self.last_day, self.best, self.total = newest, checked_days.best, checked_days.total
        streak = checked_days.streak_at(newest) if newest else None
        self.streak = streak.length if streak else 0

    def save_totals(self, checked_days: days.CheckInDays) -> None:
        """Compute the totals from the checked days, at least one, and save them."""
        self.set_totals(checked_days)
        assert self.last_day, "a day"
        _save_totals(self.pk, self.streak, self.best, self.total, self.last_day)

    def refresh_points(self) -> None:
        """Read the balance again, as this transaction has changed it."""
        ((self.points,),) = _query_points(self.pk)

    def has_same_totals(self, other: "Standing") -> bool:
        """Whether both have the same totals, points aside."""
        names: Sequence[str] = ("streak", "best", "total", "last_day")
        return all(getattr(self, name) == getattr(other, name) for name in names)


class PointEntryQuerySet(models.QuerySet["PointEntry"]):
    def add(self, user_id: int, amount: int, *, reason: str, day: date, key: str) -> bool:
        """Insert an entry; False when there is one with this key."""
        return _insert_entry(user_id, amount, reason, day, key, timezone.now()) is not None

    def make_ups_of(self, user_id: int, month: date) -> Self:
        """Entries for the days of a month that a person has made up."""
        end = month.replace(day=days.month_length(month))
        return self.filter(user_id=user_id, reason=PointEntry.Reason.MAKE_UP, day__range=(month, end))


class PointEntry(models.Model):
    """One movement of points, never changed. `key` is unique, so that nothing is paid twice.

    `day` is the day that earned or cost them: the check-in, the made-up day, or the rewarded streak's first
    day.
    """

    class Reason(models.TextChoices):
        SIGN_IN = "sign_in", _("check-in")
        WEEK = "week", _("7 days in a row")
        MONTH = "month", _("30 days in a row")
        MAKE_UP = "make_up", _("make-up day")
        ADJUSTMENT = "adjustment", _("adjustment")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="point_entries",
        verbose_name=_("person"),
        db_index=False,
    )
    amount = models.IntegerField(_("points"))
    reason = models.CharField(_("reason"), max_length=10, choices=Reason)
    day = models.DateField(_("day"))
    note = models.CharField(_("remark"), max_length=200, blank=True)
    key = models.CharField(_("key"), max_length=64, unique=True)
    created_at = models.DateTimeField(_("when"), default=timezone.now)

    objects = PointEntryQuerySet.as_manager()

    class Meta:
        verbose_name = _("movement of points")
        verbose_name_plural = _("movements of points")
        indexes: ClassVar = [
            models.Index(fields=["user", "-id"], name="signins_points_of"),
            models.Index(fields=["user", "reason", "day"], name="signins_points_for"),
        ]

    def __str__(self) -> str:
        return f"{self.user} {self.amount:+} {self.get_reason_display()}"

    @property
    def made_up_day(self) -> date | None:
        """The day that the points made up, of a make-up."""
        return self.day if self.reason == self.Reason.MAKE_UP else None


@CompiledInsert
def _insert_month(user_id: int, month: date) -> SignInMonth:
    return SignInMonth(user_id=user_id, month=month, mask=0)


@CompiledUpdate
def _set_day_bit(user_id: int, month: date, bit: int) -> Change:
    unmarked = SignInMonth.objects.annotate(marked=F("mask").bitand(bit)).filter(marked=0)
    return unmarked.filter(user_id=user_id, month=month), {"mask": F("mask").bitor(bit)}


@CompiledQuery
def _query_masks(user_id: int) -> models.QuerySet[Any, tuple[date, int]]:
    return SignInMonth.objects.filter(user_id=user_id).values_list("month", "mask")


@CompiledInsert
def _insert_standing(user_id: int) -> Standing:
    return Standing(user_id=user_id)


@CompiledQuery
def _query_locked_standing(user_id: int) -> models.QuerySet[Standing]:
    return Standing.objects.select_for_update().filter(pk=user_id)


@CompiledQuery
def _query_points(user_id: int) -> models.QuerySet[Any, tuple[int]]:
    return Standing.objects.filter(pk=user_id).values_list("points")


@CompiledUpdate
def _save_totals(user_id: int, streak: int, best: int, total: int, last_day: date) -> Change:
    totals = {"streak": streak, "best": best, "total": total, "last_day": last_day}
    return Standing.objects.filter(pk=user_id), totals


@CompiledUpdate
def _add_points(user_id: int, amount: int, needed: int) -> Change:
    return Standing.objects.filter(pk=user_id, points__gte=needed), {"points": F("points") + amount}


@CompiledInsert
def _insert_entry(
    user_id: int, amount: int, reason: str, day: date, key: str, created_at: datetime
) -> PointEntry:
    return PointEntry(user_id=user_id, amount=amount, reason=reason, day=day, key=key, created_at=created_at)
