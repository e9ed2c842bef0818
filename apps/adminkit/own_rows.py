"""Admins whose rows belong to people: those who may not see all see, choose and change their own only."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest

from apps.adminkit.change_forms import RowByIdAdmin
from apps.adminkit.own_filter import filter_own


class OwnRowsAdmin(RowByIdAdmin):
    """Restricts lists, actions, exports, forms, search boxes and addresses to the rows a person may see.

    Django's admin finds the rows of every such page in `get_queryset`.
    """

    def sees_all(self, request: HttpRequest) -> bool:
        """Whether the person sees everybody's rows."""
        raise NotImplementedError

    def own_lookups(self, request: HttpRequest) -> Mapping[str, object]:
        """The lookups that only the person's own rows match, all by way of one relation."""
        raise NotImplementedError

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows if self.sees_all(request) else filter_own(rows, self.own_lookups(request))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """The row of an address; Http404 when the user doesn't own it, as when there is none."""
        row = super().get_object(request, object_id, from_field)
        if row is None and not self.sees_all(request):
            raise Http404
        return row

    def formfield_for_foreignkey(self, field: Any, request: HttpRequest, **options: Any) -> Any:
        """Offer and accept the user's own rows of a table that has an admin of this kind."""
        target = self.admin_site._registry.get(field.remote_field.model)
        if isinstance(target, OwnRowsAdmin):
            options.setdefault("queryset", target.get_queryset(request))
        return super().formfield_for_foreignkey(field, request, **options)
