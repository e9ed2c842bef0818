"""The audit log: which manager did what, when and to which row."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from unfold.contrib.filters.admin import AutocompleteSelectFilter, RelatedDropdownFilter
from unfold.decorators import display

from apps.adminkit.day_range import DayRangeFilter
from apps.adminkit.read_only import ReadOnlyAdmin

ACTION_LABELS = {
    ADDITION: pgettext_lazy("history", "added"),
    CHANGE: pgettext_lazy("history", "changed"),
    DELETION: pgettext_lazy("history", "deleted"),
}
ACTION_COLOURS = {str(ADDITION): "success", str(CHANGE): "info", str(DELETION): "danger"}


class ActionFilter(admin.SimpleListFilter):
    """Rows that were added, changed or deleted."""

    title, parameter_name = pgettext_lazy("history", "action"), "did"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, Any]]:
        return [(str(flag), label) for flag, label in ACTION_LABELS.items()]

    def queryset(self, _request: HttpRequest, entries: QuerySet[LogEntry]) -> QuerySet[LogEntry]:
        chosen = self.value()
        return entries.filter(action_flag=int(chosen)) if chosen and chosen.isdigit() else entries


@admin.register(LogEntry)
class AuditLogAdmin(ReadOnlyAdmin):
    """Owners and staff with the permission read the log; the admin changes and deletes no line."""

    list_display = ("action_time", "user", "did", "content_type", "object_repr", "message")
    list_filter = (
        ("user", AutocompleteSelectFilter),
        ActionFilter,
        ("content_type", RelatedDropdownFilter),
        ("action_time", DayRangeFilter),
    )
    list_filter_submit = True
    list_select_related = ("user", "content_type")
    search_fields = ("object_repr", "change_message", "user__phone", "user__nickname")
    search_help_text = _("What was changed, how, or who did it")
    ordering = ("-action_time", "-id")
    fields = ("action_time", "user", "did", "content_type", "object_id", "object_repr", "message")

    @display(description=pgettext_lazy("history", "action"), label=ACTION_COLOURS)
    def did(self, entry: LogEntry) -> tuple[str, Any]:
        return str(entry.action_flag), ACTION_LABELS[entry.action_flag]

    @display(description=_("what"))
    def message(self, entry: LogEntry) -> str:
        return str(entry.get_change_message())
