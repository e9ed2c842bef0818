"""Finds the row of an address in the admin."""

from typing import Any

from django.http import HttpRequest

from apps.adminkit.change_forms import ModelAdmin
from apps.adminkit.plain_search import PlainSearch


class RowByIdAdmin(PlainSearch, ModelAdmin):
    """An admin for which an id past 2^63 is no row's; a page of its list is one for a phone, too."""

    list_per_page = 20

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """The row of an id, or None; where the key is another row's, SQLite raises for one past 2^63."""
        try:
            return super().get_object(request, object_id, from_field)
        except OverflowError:
            return None
