"""Admins whose rows belong to advertisers: a member sees their own advertisers' rows and no others."""

from collections.abc import Mapping

from django.db.models import Model
from django.http import HttpRequest

from apps.adminkit.own_rows import OwnRowsAdmin
from apps.ads import roles


class AdvertiserRowsAdmin(OwnRowsAdmin):
    """Rows that `members` leads from to the people of their advertiser."""

    class Media:
        css = {"all": ("css/ads_admin.css",)}  # noqa: RUF012 - as Django reads it

    members = "members"

    def sees_all(self, request: HttpRequest) -> bool:
        return roles.sees_all(request.user)

    def own_lookups(self, request: HttpRequest) -> Mapping[str, object]:
        return {self.members: request.user.pk}

    def has_delete_permission(self, _request: HttpRequest, _row: Model | None = None) -> bool:
        """Charges refer to it; it is switched off instead."""
        return False
