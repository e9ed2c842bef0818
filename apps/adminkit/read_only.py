"""Base class of admins for rows that managers don't edit."""

from typing import Any

from django.http import HttpRequest

from apps.adminkit.rows_by_id import RowByIdAdmin


class ReadOnlyAdmin(RowByIdAdmin):
    """Shows rows that only the site's own code creates and changes; subclasses add buttons."""

    show_full_result_count = False

    def has_add_permission(self, _request: HttpRequest, *_: Any) -> bool:
        return False

    def has_change_permission(self, _request: HttpRequest, _row: Any = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _row: Any = None) -> bool:
        return False
