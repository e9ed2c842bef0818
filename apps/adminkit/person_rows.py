"""Admins of rows of which each is one person's, to look at."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from apps.adminkit.read_only import ReadOnlyAdmin


class PersonRowsAdmin(ReadOnlyAdmin):
    """A read-only list with one person (`user`) a row, searched by phone or nickname."""

    list_select_related = ("user",)
    search_fields = ("user__phone", "user__nickname")
    search_help_text = _("Phone or nickname")
    ordering: tuple[str, ...] = ("-pk",)

    @display(description=_("person"), header=True)
    def person(self, row: Any) -> list[str]:
        return [row.user.nickname, row.user.phone]
