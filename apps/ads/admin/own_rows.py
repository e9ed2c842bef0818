"""Admins whose rows belong to advertisers: a member sees their own advertisers' rows and no others."""

from typing import Any

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from apps.ads import roles


class OwnRowsAdmin(ModelAdmin):
    """Lists, finds and offers to choose only what the person may see; `members` is the path to the people.

    Django's admin finds each row of a page, a form and an action in `get_queryset`.
    """

    class Media:
        css = {"all": ("css/ads_admin.css",)}  # noqa: RUF012 - as Django reads it

    members = "members"
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return own_rows(request, rows, self.members)

    def formfield_for_foreignkey(self, field: Any, request: HttpRequest, **options: Any) -> Any:
        """Offer one's own rows of a table that has an admin of this kind."""
        target = self.admin_site._registry.get(field.remote_field.model)
        if isinstance(target, OwnRowsAdmin):
            options.setdefault("queryset", target.get_queryset(request))
        return super().formfield_for_foreignkey(field, request, **options)

    def has_delete_permission(self, _request: HttpRequest, _row: Model | None = None) -> bool:
        """Charges refer to it; it is switched off instead."""
        return False


def own_rows(request: HttpRequest, rows: QuerySet[Any], members: str) -> QuerySet[Any]:
    """The rows that the person may see, `members` being the path to an advertiser's people."""
    if roles.sees_all(request.user):
        return rows
    # A subquery: a join would repeat a row whose advertiser has the person twice in another way.
    return rows.filter(pk__in=rows.model._default_manager.filter(**{members: request.user.pk}).values("pk"))
