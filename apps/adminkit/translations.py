"""Which texts of a row are missing in one of the two languages: a filter and a column for admin lists."""

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apps.web.in_language import CHINESE, ENGLISH, SUFFIXES

LABELS = {ENGLISH: _("English is missing"), CHINESE: _("Chinese is missing")}
OTHER_SUFFIX = {ENGLISH: SUFFIXES[CHINESE], CHINESE: SUFFIXES[ENGLISH]}


def missing_filter(names: Sequence[str]) -> type[admin.SimpleListFilter]:
    """A list filter for rows with a text in one language only."""

    class MissingFilter(admin.SimpleListFilter):
        title, parameter_name = _("translation"), "missing"

        def lookups(self, _request: HttpRequest, _model_admin: Any) -> Sequence[tuple[str, Any]]:
            return list(LABELS.items())

        def queryset(self, _request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
            language = self.value()
            return rows.filter(_missing_query(language, names)) if language in LABELS else rows

    return MissingFilter


def missing_label(row: object, names: Sequence[str]) -> str:
    """ "Chinese is missing", or "" for a row whose texts are there in both languages or in none."""
    missing = [str(label) for language, label in LABELS.items() if _is_missing(row, language, names)]
    return " · ".join(missing)


def _missing_query(language: str, names: Sequence[str]) -> Q:
    own, other = SUFFIXES[language], OTHER_SUFFIX[language]
    missing = (Q(**{f"{name}{own}": ""}) & ~Q(**{f"{name}{other}": ""}) for name in names)
    return reduce(or_, missing)


def _is_missing(row: object, language: str, names: Sequence[str]) -> bool:
    own, other = SUFFIXES[language], OTHER_SUFFIX[language]
    return any(getattr(row, f"{name}{other}") and not getattr(row, f"{name}{own}") for name in names)
