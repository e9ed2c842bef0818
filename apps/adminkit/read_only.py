"""Base classes of admins for rows that managers don't edit, also where each row is a person's."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from apps.adminkit.change_forms import RowByIdAdmin


class ReadOnlyAdmin(RowByIdAdmin):
    """Shows rows that only the site's own code creates and changes; subclasses add buttons."""

    def has_add_permission(self, _request: HttpRequest, *_: Any) -> bool:
        return False

    def has_change_permission(self, _request: HttpRequest, _row: Any = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _row: Any = None) -> bool:
        return False


class PersonRowsAdmin(ReadOnlyAdmin):
    """A read-only list with one person (`user`) a row, searched by phone or nickname."""

    list_select_related = ("user",)
    search_fields = ("user__phone", "user__nickname")
    search_help_text = _("Phone or nickname")
    ordering: tuple[str, ...] = ("-pk",)

    @display(description=_("person"), header=True)
    def person(self, row: Any) -> list[str]:
        return [row.user.nickname, row.user.phone]
