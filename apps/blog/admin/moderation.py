"""Staff look at what people wrote, hide it and bring it back; the words stay their authors'."""

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib.auth import get_permission_codename
from django.db.models import Model
from django.http import Http404, HttpRequest

from apps.adminkit import history
from apps.adminkit.read_only import ReadOnlyAdmin


class ModeratedAdmin(ReadOnlyAdmin):
    """A list with actions for who may change the model, and a page to read."""

    list_per_page = 50
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
        """Do it to each, and note it in the history; how many: what somebody took away is skipped."""
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
