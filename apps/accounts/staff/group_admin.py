"""The admin of roles: the groups of staff, the prepared ones among them."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.models import Group
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from apps.adminkit.change_forms import ModelAdmin
from apps.adminkit.roles import Role

admin.site.unregister(Group)


def title(group: Group) -> str:
    """A group's name, a prepared one's in the reader's language."""
    return str(Role(group.name).label) if group.name in Role.values else group.name


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ModelAdmin):
    """Roles: the permissions that a group of staff has."""

    list_display = ("heading", "people")
    fields = ("name", "preparation", "permissions")
    readonly_fields = ("preparation",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        groups: Any = super().get_queryset(request)
        return groups.annotate(person_count=Count("user"))

    def get_readonly_fields(self, _request: HttpRequest, obj: Group | None = None) -> tuple[str, ...]:
        """A prepared role is found by its name."""
        is_prepared = obj is not None and obj.name in Role.values
        return ("name", "preparation") if is_prepared else ("preparation",)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """A prepared role would come back at once, without its people."""
        is_prepared = obj is not None and obj.name in Role.values
        return not is_prepared and bool(super().has_delete_permission(request, obj))

    @display(description=_("role"), ordering="name")
    def heading(self, group: Group) -> str:
        return title(group)

    @display(description=_("people"), ordering="person_count")
    def people(self, group: Any) -> int:
        return int(group.person_count)

    @display(description=_("prepared"))
    def preparation(self, group: Group) -> Any:
        """What happens to a change of this group."""
        if group.name not in Role.values:
            return _("This is a group of your own: nothing changes it but you.")
        return _(
            "The site prepares this role. A permission that you add stays; one that you take away comes back "
            "with the next update. For a role that may do less, make a group of your own."
        )
