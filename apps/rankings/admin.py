"""The admin of rankings: the places of each week, to look at."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from apps.adminkit.read_only import ReadOnlyAdmin
from apps.rankings.models import Rank


@admin.register(Rank)
class RankAdmin(ReadOnlyAdmin):
    """Places of all weeks, the newest first, searched by shop."""

    list_display = ("week", "city", "type", "rank", "shop", "score")
    list_select_related = ("type", "shop")
    list_filter = ("city", "type")
    search_fields = ("shop__name_en", "shop__name_zh")
    search_help_text = _("Shop")
    ordering = ("-week", "city", "type", "rank")
    fields = list_display
