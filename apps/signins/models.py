from collections.abc import Sequence
from datetime import date
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.signins.streaks import days

FULL_MONTH_MASK = 2**days.MASK_BITS - 1


class MonthQuerySet(models.QuerySet["SignInMonth"]):
    def masks(self) -> dict[date, int]:
        """Of one person: {first day of the month: mask}."""
        return dict(self.values_list("month", "mask"))

    def mark_day(self, user_id: int, day: date) -> bool:
        """Set one bit, atomically; False when it was set already."""
        month = day.replace(day=1)
        self.bulk_create([SignInMonth(user_id=user_id, month=month, mask=0)], ignore_conflicts=True)
        unsigned = self.annotate(signed=F("mask").bitand(days.day_bit(day))).filter(signed=0)
        found = unsigned.filter(user_id=user_id, month=month)
        return found.update(mask=F("mask").bitor(days.day_bit(day))) == 1


class SignInMonth(models.Model):
    """The days on which a person signed in, in the site's time zone. `mask`: see signins.days."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="sign_in_months", verbose_name=_("person")
    )
    month = models.DateField(_("month"), help_text=_("its first day"))
    mask = models.PositiveIntegerField(default=0)

    objects = MonthQuerySet.as_manager()

    class Meta:
        verbose_name = _("month of sign-ins")
        verbose_name_plural = _("months of sign-ins")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "month"], name="signins_one_row_a_month"),
            models.CheckConstraint(condition=Q(mask__lte=FULL_MONTH_MASK), name="signins_31_days"),
        ]

    def __str__(self) -> str:
        return f"{self.user} {self.month:%Y-%m}"


class StandingQuerySet(models.QuerySet["Standing"]):
    def locked(self, user_id: int) -> "Standing":
        """A person's row, made if it is not there and held until the transaction ends."""
        self.bulk_create([Standing(user_id=user_id)], ignore_conflicts=True)
        return self.select_for_update().get(pk=user_id)

    def alive(self, today: date) -> Self:
        """Whose streak today ends or can still continue."""
        return self.filter(last_day__gte=today - days.ONE_DAY, user__is_active=True)

    def credit(self, user_id: int, amount: int) -> bool:
        """Add points, or take them when negative; False, and nothing done, when they don't suffice."""
        enough = self.filter(pk=user_id, points__gte=max(0, -amount))
        return enough.update(points=F("points") + amount) == 1


class Standing(models.Model):
    """What a person's sign-ins add up to, changed in the transaction of each; months and movements prove it.

    `streak` is the run that ends on `last_day`: over, once yesterday is later than that.
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
    last_day = models.DateField(_("last sign-in"), null=True)

    objects = StandingQuerySet.as_manager()

    class Meta:
        verbose_name = _("sign-in standing")
        verbose_name_plural = _("sign-in standings")
        indexes: ClassVar = [models.Index(fields=["-streak", "last_day"], name="signins_leaders")]

    def __str__(self) -> str:
        return str(self.user)

    def current(self, today: date) -> int:
        """The streak, if today ends it or can still continue it."""
        return self.streak if self.last_day and self.last_day >= today - days.ONE_DAY else 0

    def set_totals(self, signed: days.CheckInDays) -> None:
        """Take over what these days amount to; not saved."""
        self.last_day, self.best, self.total = signed.newest, signed.best, signed.total
        run = signed.streak_at(signed.newest) if signed.newest else None
        self.streak = run.length if run else 0

    def has_same_totals(self, other: "Standing") -> bool:
        """Whether both amount to the same, points aside."""
        names: Sequence[str] = ("streak", "best", "total", "last_day")
        return all(getattr(self, name) == getattr(other, name) for name in names)


class PointEntryQuerySet(models.QuerySet["PointEntry"]):
    def make_ups_of(self, user_id: int, month: date) -> Self:
        """The days of a month that a person has made up."""
        end = month.replace(day=days.month_length(month))
        return self.filter(user_id=user_id, reason=PointEntry.Reason.MAKE_UP, day__range=(month, end))


class PointEntry(models.Model):
    """One movement of points; never changed. `key` is unique, so that nothing is paid twice.

    `day` is the day it is for: the sign-in, the made-up day, the first day of the rewarded streak.
    """

    class Reason(models.TextChoices):
        SIGN_IN = "sign_in", _("sign-in")
        WEEK = "week", _("7 days in a row")
        MONTH = "month", _("30 days in a row")
        MAKE_UP = "make_up", _("make-up day")
        ADJUSTMENT = "adjustment", _("adjustment")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="point_entries", verbose_name=_("person")
    )
    amount = models.IntegerField(_("points"))
    reason = models.CharField(_("reason"), max_length=10, choices=Reason)
    day = models.DateField(_("day"))
    note = models.CharField(_("remark"), max_length=200, blank=True)
    key = models.CharField(max_length=64, unique=True)
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
