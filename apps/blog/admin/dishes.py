"""Admin page of the dishes that notes recommend."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apps.adminkit.read_only import ReadOnlyAdmin
from apps.blog.models import Dish
from apps.web.in_language import columns


@admin.register(Dish)
class DishAdmin(ReadOnlyAdmin):
    """Dishes to look at and to delete: the notes that named one stay, without it."""

    list_display = ("name", "shop", "recommended")
    list_select_related = ("shop",)
    search_fields = ("name", *columns("shop__name"))
    search_help_text = _("Dish or shop")
    ordering = ("-recommended", "pk")

    def has_delete_permission(self, request: HttpRequest, _row: Any = None) -> bool:
        return request.user.has_perm("blog.delete_dish")
