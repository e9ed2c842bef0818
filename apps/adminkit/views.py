"""The dashboard's refresh, and the sidebar's search of the admin's pages and of rows of its lists."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.adminkit.plain_search import to_plain_term
from apps.web import characters

#: Rows of one list, and characters of a term that rows are searched for.
MAX_ROWS, MIN_TERM_LENGTH = 5, 2
MAX_TERM_LENGTH = 100


@require_safe
@never_cache
def dashboard_panels(request: HttpRequest) -> HttpResponse:
    """The HTML of the dashboard's panels alone."""
    return render(request, "admin/_panels.html")


@require_safe
@never_cache
def find(request: HttpRequest) -> HttpResponse:
    """The HTML of what fits the term `s`."""
    term = request.GET.get("s", "").strip()
    found = find_pages_and_rows(request, term)
    return render(request, "admin/_found.html", {"found": found, "term": term[:MAX_TERM_LENGTH]})


class Found(NamedTuple):
    """A page or a row: its title, what it is, and its address in the admin."""

    title: str
    about: str
    url: str


def find_pages_and_rows(request: HttpRequest, typed: str) -> list[Found]:
    """The pages and rows that fit and that this person may see; none for an empty term.

    Rows are of the model admins with `is_in_search`, by the search of their own list.
    """
    term = to_plain_term(typed[:MAX_TERM_LENGTH])
    if not term:
        return []
    pages = list(_find_pages(request, characters.fold(term)))
    return pages + (list(_find_rows(request, term)) if len(term) >= MIN_TERM_LENGTH else [])


def _find_pages(request: HttpRequest, term: str) -> Iterator[Found]:
    """Pages of the sidebar by their title in the reader's language or in English, or by their group's."""
    for group in admin.site.get_sidebar_list(request):  # type: ignore[attr-defined]
        for item in group["items"]:
            names = {str(item["title"]), str(group.get("title", ""))}
            with translation.override("en"):
                names |= {str(item["title"]), str(group.get("title", ""))}
            if item["has_permission"] and any(term in characters.fold(name) for name in names):
                yield Found(str(item["title"]), str(group.get("title", "")), str(item["link"]))


def _find_rows(request: HttpRequest, term: str) -> Iterator[Found]:
    for app in admin.site.get_app_list(request):
        for listed in app["models"]:
            model_admin: Any = admin.site.get_model_admin(listed["model"])
            if not getattr(model_admin, "is_in_search", False):
                continue
            options = model_admin.opts
            rows, _may_repeat = model_admin.get_search_results(
                request, model_admin.get_queryset(request), term
            )
            for row in rows[:MAX_ROWS]:
                url = reverse(f"admin:{options.app_label}_{options.model_name}_change", args=[row.pk])
                yield Found(str(row), str(options.verbose_name), url)
