"""The admin of saves: what people keep, and their lists, to look at."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from apps.adminkit.read_only import ReadOnlyAdmin
from apps.saves.models import Save, SaveList


@admin.register(Save)
class SaveAdmin(ReadOnlyAdmin):
    """Saves, searched by person or shop."""

    list_display = ("user", "shop", "note", "created_at")
    list_select_related = ("user", "shop", "note")
    search_fields = ("user__phone", "user__nickname", "shop__name_en", "shop__name_zh")
    search_help_text = _("Phone, nickname or shop")
    ordering = ("-id",)
    fields = ("user", "shop", "note", "created_at")


@admin.register(SaveList)
class SaveListAdmin(ReadOnlyAdmin):
    """Lists, searched by name or owner."""

    list_display = ("name", "owner", "is_public", "created_at")
    list_select_related = ("owner",)
    list_filter = ("is_public",)
    search_fields = ("name", "owner__phone", "owner__nickname")
    search_help_text = _("Name, or the owner's phone or nickname")
    ordering = ("-id",)
    fields = ("name", "description", "owner", "is_public", "created_at")
