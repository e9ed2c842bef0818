"""The admin of check-ins: totals with an action to adjust points, point entries, months."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import action, display
from unfold.forms import BaseDialogForm
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminTextInputWidget

from apps.adminkit import confirm_dialogs, history
from apps.adminkit.read_only import PersonRowsAdmin
from apps.signins import clock, points
from apps.signins.models import PointEntry, SignInMonth, Standing
from apps.signins.streaks.days import days_in_mask
from apps.web.problems.ids import parse_row_id

#: Points that one adjustment may move.
MAX_ADJUSTMENT_POINTS = 10_000


class AdjustPointsForm(BaseDialogForm):
    """Points to give or take, and the reason, which the person can read."""

    amount = forms.IntegerField(
        label=_("Points"),
        min_value=-MAX_ADJUSTMENT_POINTS,
        max_value=MAX_ADJUSTMENT_POINTS,
        widget=UnfoldAdminIntegerFieldWidget,
        help_text=_("Negative to take some away."),
    )
    note = forms.CharField(
        label=_("Why"),
        max_length=200,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("The person reads this beside the points."),
    )


@admin.register(Standing)
class CheckInTotalsAdmin(PersonRowsAdmin):
    """Totals of each person; support staff adjust points here."""

    list_display = ("person", "points", "current", "best", "total", "last_day")
    ordering = ("-streak", "-pk")
    actions_detail = ("adjust_points",)
    fields = (("user", "points"), ("current", "best"), ("total", "last_day"))
    readonly_fields = ("current",)

    @display(description=_("streak"), ordering="streak")
    def current(self, totals: Standing) -> int:
        return totals.current(clock.today())

    def has_adjust_permission(self, request: HttpRequest, _object_id: Any = None) -> bool:
        return request.user.has_perm("signins.add_pointentry")

    @action(
        description=_("Adjust points"),
        url_path="adjust-points",
        icon="exposure",
        permissions=["adjust"],
        dialog={
            "title": _("Adjust points"),
            "description": _("Adds a row to the person's points. The balance never goes below zero."),
            "form_class": AdjustPointsForm,
            "form_submit_text": _("Adjust"),
        },
    )
    def adjust_points(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        url = reverse("admin:signins_standing_change", args=[object_id])
        totals = get_object_or_404(Standing, pk=parse_row_id(object_id))
        try:
            entry = points.adjust(totals.pk, form.cleaned_data["amount"], note=form.cleaned_data["note"])
        except points.NotEnoughPoints:
            message = str(_("The person doesn't have that many points."))
            return confirm_dialogs.redirect_with_message(request, url, message, level=messages.ERROR)
        history.record_changed(request, totals, f"{entry.amount:+} {entry.note}")
        return confirm_dialogs.redirect_with_message(request, url, str(_("The points are adjusted.")))


@admin.register(PointEntry)
class PointEntryAdmin(PersonRowsAdmin):
    """Each movement of points, the newest first."""

    list_display = ("person", "amount", "reason", "day", "note", "created_at")
    list_filter = (("reason", ChoicesDropdownFilter),)
    list_filter_submit = False


@admin.register(SignInMonth)
class CheckInMonthAdmin(PersonRowsAdmin):
    """Months with check-ins, their days as a list of numbers."""

    list_display = ("person", "in_words", "count")
    ordering = ("-month", "-pk")
    fields = ("user", "in_words", "checked_days")
    readonly_fields = ("in_words", "checked_days")

    @display(description=_("month"), ordering="month")
    def in_words(self, row: SignInMonth) -> str:
        return f"{row.month:%Y-%m}"

    @display(description=_("days"))
    def count(self, row: SignInMonth) -> int:
        return row.mask.bit_count()

    @display(description=_("days"))
    def checked_days(self, row: SignInMonth) -> str:
        return ", ".join(str(day.day) for day in days_in_mask(row.month, row.mask)) or "–"
