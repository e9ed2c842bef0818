"""The admin of rankings: the places of each week, to look at."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from apps.adminkit.read_only import ReadOnlyAdmin
from apps.rankings.models import Rank
from apps.shops.geo import cities


@admin.register(Rank)
class RankAdmin(ReadOnlyAdmin):
    """Places of all weeks, the newest first, searched by shop."""

    list_display = ("week", "place", "type", "rank", "shop", "points")
    list_select_related = ("type", "shop")
    list_filter = ("city", "type")
    search_fields = ("shop__name_en", "shop__name_zh")
    search_help_text = _("Shop")
    ordering = ("-week", "city", "type", "rank")
    fields = list_display
    readonly_fields = ("place", "points")

    @display(description=_("city"), ordering="city")
    def place(self, rank: Rank) -> str:
        """The city's name, or that of all; the slug of one that is gone."""
        city = cities.find(rank.city)
        return city.name if city else rank.city

    @display(description=_("score"), ordering="score")
    def points(self, rank: Rank) -> str:
        return f"{rank.score:,.1f}"
