"""The people of a shop on its page in the admin."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from apps.adminkit.change_forms import TabularInline
from apps.shops.members import membership
from apps.shops.models import ShopMember


class ShopMemberInline(TabularInline):
    """Owners and cashiers; shown to managers, as owners have no permission on it."""

    model = ShopMember
    verbose_name_plural = _("People of the shop")
    autocomplete_fields = ("user",)
    fields = ("user", "role", "created_at")
    readonly_fields = ("created_at",)
    extra = 0
    tab = True


def save(formset: Any) -> None:
    """Save the rows of the inline, and give and take the roles that follow from them."""
    before = list(formset.queryset.values_list("user", flat=True))
    formset.save()
    after = list(formset.instance.members.values_list("user", flat=True))
    membership.sync_roles_of({*before, *after})
