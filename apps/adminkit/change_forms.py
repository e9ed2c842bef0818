"""The base of the admin's pages of rows: two managers who have one open don't undo each other."""

from typing import Any

from django.contrib import messages
from django.contrib.admin.views.main import PAGE_VAR
from django.core.paginator import Paginator
from django.db import transaction
from django.forms.models import BaseInlineFormSet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from unfold.admin import ModelAdmin as UnfoldModelAdmin
from unfold.admin import TabularInline as UnfoldTabularInline

from apps.adminkit.list_pages import ListPaginator
from apps.adminkit.plain_search import PlainSearch
from apps.web.form_state import merging

#: A page past it is no list's: SQL would take no offset of it.
MAX_PAGE = 10**9


class Badges(dict[Any, str]):
    """Colours of badges by their words, compared in the reader's language: a dict knows texts of one only."""

    def __contains__(self, word: object) -> bool:
        return any(str(name) == str(word) for name in self)

    def __getitem__(self, word: object) -> str:
        return next(colour for name, colour in self.items() if str(name) == str(word))


class ModelAdmin(UnfoldModelAdmin):
    """Unfold's, for large tables, with a form that keeps what others have saved since its page was opened."""

    #: The count of all rows beside that of those found would read the whole table.
    show_full_result_count = False
    empty_value_display = "–"
    change_form_before_template = "admin/_form_state.html"

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.form: Any = merging(self.form)

    def get_paginator(
        self,
        request: HttpRequest,
        queryset: Any,
        per_page: int,
        orphans: int = 0,
        allow_empty_first_page: bool = True,
    ) -> Paginator[Any]:
        """Pages whose count reaches beyond the page that the address names."""
        named = request.GET.get(PAGE_VAR, "")
        page = min(int(named), MAX_PAGE) if named.isdecimal() and named.isascii() else 1
        return ListPaginator(queryset, per_page, orphans, allow_empty_first_page, page=max(page, 1))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """The row, locked while it is saved, so that two who press at once come in turn."""
        found = super().get_object(request, object_id, from_field)
        connection = transaction.get_connection()
        is_saved = request.method == "POST" and connection.in_atomic_block
        # SQLite has one writer at a time anyway.
        if found is not None and is_saved and connection.features.has_select_for_update:
            self.model._base_manager.select_for_update().filter(pk=found.pk).first()
            return super().get_object(request, object_id, from_field)
        return found

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list under the name of its rows, "Orders", instead of "Select order to view"."""
        named: dict[str, Any] = {"title": capfirst(self.opts.verbose_name_plural)}
        answer: HttpResponse = super().changelist_view(request, named | (extra_context or {}))
        return answer

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponseBase:
        """A row's page under the name of its kind, a new one's as "New shop"."""
        name = self.opts.verbose_name
        title = capfirst(name) if object_id else _("New %(name)s") % {"name": name}
        answer: HttpResponseBase = super().changeform_view(
            request, object_id, form_url, {"title": title} | (extra_context or {})
        )
        return answer

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if any(getattr(formset, "gone_forms", ()) for formset in formsets):
            messages.warning(
                request, _("A row of this page was deleted by others meanwhile. It stays deleted.")
            )


class KeepsOthersRows(BaseInlineFormSet):
    """The rows of an inline; one that others have deleted meanwhile stays deleted, without an error."""

    @property
    def gone_forms(self) -> list[Any]:
        return [form for form in self.initial_forms if self._is_gone(form)] if self.is_bound else []

    def _should_delete_form(self, form: Any) -> bool:
        return self._is_gone(form) or bool(super()._should_delete_form(form))  # type: ignore[misc]

    def _is_gone(self, form: Any) -> bool:
        """Whether a form came with the id of a row that is no longer there."""
        key = form.add_prefix(form._meta.model._meta.pk.name)
        is_old = form in self.initial_forms and form.instance._state.adding
        return bool(is_old and self.is_bound and self.data.get(key, "").isdigit())


class TabularInline(UnfoldTabularInline):
    """Unfold's, whose rows keep what others have saved since the page was opened."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.form: Any = merging(self.form)
        self.formset: Any = type(self.formset.__name__, (KeepsOthersRows, self.formset), {})


class RowByIdAdmin(PlainSearch, ModelAdmin):
    """An admin for which an id past 2^63 is no row's; a page of its list is one for a phone, too."""

    list_per_page = 20

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """The row of an id, or None; where the key is another row's, SQLite raises for one past 2^63."""
        try:
            return super().get_object(request, object_id, from_field)
        except OverflowError:
            return None
