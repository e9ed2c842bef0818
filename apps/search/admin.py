"""The admin of search: the words that staff edit, and a page about the index and about searches."""

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.adminkit.change_forms import ModelAdmin
from apps.monitoring import rebuilding, tasks
from apps.redis_kit import client
from apps.search.index import facts
from apps.search.models import BlockedWord, StopWord, SynonymGroup
from apps.search.words import search_counts, word_lists

VIEW_PERMISSION = "search.view_synonymgroup"
#: The rebuild of the whole index, as the keys declare it.
REBUILD = "apps.search.index.rebuilding:rebuild"


class WordsAdmin(ModelAdmin):
    """Rows that searches read: each change is in force with its commit."""

    list_per_page = 100

    def save_model(self, request: HttpRequest, row: Model, form: Any, change: bool) -> None:
        super().save_model(request, row, form, change)
        word_lists.changed()

    def delete_model(self, request: HttpRequest, row: Model) -> None:
        super().delete_model(request, row)
        word_lists.changed()

    def delete_queryset(self, request: HttpRequest, rows: QuerySet[Model]) -> None:
        super().delete_queryset(request, rows)
        word_lists.changed()


@admin.register(SynonymGroup)
class SynonymGroupAdmin(WordsAdmin):
    """Groups of words that mean the same."""

    empty_text = gettext_lazy("Each word finds only itself and its forms.")
    search_fields = ("words",)
    ordering = ("words",)


@admin.register(StopWord)
class StopWordAdmin(WordsAdmin):
    """Words that searches leave out."""

    empty_text = gettext_lazy("Searches leave no word out.")
    list_display = ("word", "is_searched")
    list_filter: ClassVar = ["is_searched"]
    search_fields = ("word",)


@admin.register(BlockedWord)
class BlockedWordAdmin(WordsAdmin):
    """Words that trending searches and suggestions leave out."""

    empty_text = gettext_lazy("Trending searches and suggestions leave no word out.")
    search_fields = ("word",)


@permission_required(VIEW_PERMISSION, raise_exception=True)
@require_safe
@never_cache
def show_overview(request: HttpRequest) -> HttpResponse:
    """The page; while Redis is away it says so."""
    context: dict[str, Any] = admin.site.each_context(request) | {"title": _("Search")}
    context |= {"missed": search_counts.missed(), "slow": search_counts.slow()}
    context |= {"trending": search_counts.trending(), "slow_milliseconds": search_counts.SLOW_MILLISECONDS}
    return render(request, "admin/search/overview.html", context | _index_context())


@permission_required(VIEW_PERMISSION, raise_exception=True)
@require_safe
@never_cache
def show_index(request: HttpRequest) -> HttpResponse:
    """The index alone, for the page's refresh while it is rebuilt."""
    return render(request, "admin/search/_index.html", _index_context())


@permission_required("monitoring.rebuild_redis", raise_exception=True)
@require_POST
def rebuild(request: HttpRequest) -> HttpResponse:
    """Have a worker build the index anew; pressing again while it runs changes nothing."""
    if rebuilding.claim(REBUILD, by=str(request.user)):
        tasks.rebuild.delay(REBUILD)
        messages.success(request, _("The rebuild has begun."))
    else:
        messages.info(request, _("This rebuild is already under way."))
    return redirect("search:overview")


def _index_context() -> dict[str, Any]:
    try:
        return {"kinds": facts.read(), "progress": rebuilding.read_progress(REBUILD)}
    except client.UNAVAILABLE:
        return {"away": True}
