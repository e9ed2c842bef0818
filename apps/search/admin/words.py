"""The admin of the words that staff edit: synonyms, stop words, blocked words."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from apps.adminkit.change_forms import ModelAdmin
from apps.search.models import BlockedWord, StopWord, SynonymGroup
from apps.search.words import word_lists


class WordsAdmin(ModelAdmin):
    """Rows that searches read: each change is in force with its commit."""

    list_per_page = 100
    show_full_result_count = False

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

    search_fields = ("words",)
    ordering = ("words",)


@admin.register(StopWord)
class StopWordAdmin(WordsAdmin):
    """Words that searches leave out."""

    list_display = ("word", "is_searched")
    list_filter: ClassVar = ["is_searched"]
    search_fields = ("word",)


@admin.register(BlockedWord)
class BlockedWordAdmin(WordsAdmin):
    """Words that trending searches and suggestions leave out."""

    search_fields = ("word",)
