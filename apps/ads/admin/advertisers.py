"""The admin of advertisers, and the base of admins whose rows belong to them: members see their own alone."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.db.models import Count, Model, QuerySet, Sum
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from apps.accounts.staff import role_groups
from apps.adminkit.own_rows import OwnRowsAdmin
from apps.adminkit.roles import Role
from apps.ads import roles
from apps.ads.models import Advertiser
from apps.ads.money.amounts import format_amount
from apps.web.in_language import TextOrder, columns


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


@admin.register(Advertiser)
class AdvertiserAdmin(AdvertiserRowsAdmin):
    """Who pays for ads. Members enter the admin and see their own advertiser; a superuser lets them in."""

    list_display = ("heading", "people", "campaigns_count", "spent")
    search_fields = columns("name")
    ordering = ("-id",)
    autocomplete_fields = ("members",)
    fields = (columns("name"), "members")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Advertiser]:
        rows = super().get_queryset(request).prefetch_related("members")
        return rows.annotate(campaign_count=Count("campaigns"), charged=Sum("campaigns__charged_micros"))

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Members' names and phones are for managers."""
        return self.fields if roles.sees_all(request.user) else (columns("name"),)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        # Only a superuser grants rights: other staff could otherwise let anybody in.
        if request.user.is_superuser:
            for member in form.instance.members.all():
                role_groups.grant(member, Role.ADVERTISER)

    @display(description=_("advertiser"), ordering=TextOrder("name"))
    def heading(self, advertiser: Advertiser) -> str:
        return advertiser.name

    @display(description=_("members"))
    def people(self, advertiser: Advertiser) -> str:
        return ", ".join(member.nickname for member in advertiser.members.all())

    @display(description=_("campaigns"), ordering="campaign_count")
    def campaigns_count(self, advertiser: Any) -> int:
        return int(advertiser.campaign_count)

    @display(description=_("charged"), ordering="charged")
    def spent(self, advertiser: Any) -> str:
        return format_amount(advertiser.charged or 0)
