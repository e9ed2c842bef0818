"""Base of the admin pages where staff read, hide and restore what people wrote, without editing it."""

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib.auth import get_permission_codename
from django.db.models import Model
from django.http import Http404, HttpRequest

from apps.adminkit import history
from apps.adminkit.read_only import ReadOnlyAdmin


class ModeratedAdmin(ReadOnlyAdmin):
    """A read-only list and detail page whose actions require the permission to change the model."""

    list_filter_submit = False
    show_full_result_count = False
    view_on_site = False
    ordering = ("-id",)

    def has_moderate_permission(self, request: HttpRequest) -> bool:
        change = get_permission_codename("change", self.opts)
        return request.user.has_perm(f"{self.opts.app_label}.{change}")

    def apply_to_each(
        self, request: HttpRequest, rows: Iterable[Any], verb: Callable[[Any], object], what: str
    ) -> int:
        """Call `verb` with each row and record `what` in its history; returns the number of rows changed.

        Rows that are deleted by now, for which `verb` raises Http404, are skipped.
        """
        return sum(self._apply_and_record(request, row, verb, what) for row in rows)

    def _apply_and_record(
        self, request: HttpRequest, row: Model, verb: Callable[[Any], object], what: str
    ) -> bool:
        try:
            verb(row)
        except Http404:
            return False
        history.record_changed(request, row, what)
        return True
