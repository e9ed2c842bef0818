"""The admin of imports: a list, and a page each with its progress, what would change, and refused rows."""

import csv
from collections.abc import Iterator
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import display

from apps.adminkit import exports, history
from apps.adminkit.change_forms import Badges
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.imports import running
from apps.imports.kinds import KINDS
from apps.imports.models import Import, RefusedRow
from apps.imports.upload import UploadAdmin
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id

STATE_BADGES = Badges(
    {
        Import.State.CHECKED.label: "warning",
        Import.State.DONE.label: "success",
        Import.State.FAILED.label: "danger",
    }
)
#: Refused rows on the page; the file has all that are kept.
SHOWN_REFUSALS = 50


@admin.register(Import)
class ImportAdmin(ReadOnlyAdmin):
    """Files that were sent; each is imported, or cancelled, on its own page."""

    empty_text = gettext_lazy("No file was imported yet. Choose above what a file holds.")
    list_display = ("heading", "badge", "created", "changed", "unchanged", "refused", "by", "began_at")
    list_filter = ("state",)
    list_select_related = ("by",)
    # The page of one import is of its own: change_view.
    fields = ("file_name", "state")
    search_fields = ("file_name",)
    search_help_text = gettext_lazy("Name of the file")
    ordering = ("-id",)
    list_before_template = "admin/imports/_upload_links.html"

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list, with a button for each kind of file above it."""
        uploads = (one for one in admin.site._registry.values() if isinstance(one, UploadAdmin))
        links = [link for one in uploads for link in one.list_upload_links(request)]
        return super().changelist_view(request, {**(extra_context or {}), "upload_links": links})

    def get_queryset(self, request: HttpRequest) -> QuerySet[Import]:
        rows: QuerySet[Import] = super().get_queryset(request)
        return rows.filter(kind__in=_allowed_kinds(request))

    def get_urls(self) -> list[URLPattern]:
        own = [
            path(
                "<path:object_id>/progress/",
                self.admin_site.admin_view(self.progress),
                name="imports_progress",
            ),
            path(
                "<path:object_id>/refused/",
                self.admin_site.admin_view(self.refused_file),
                name="imports_refused",
            ),
        ]
        return [*own, *super().get_urls()]

    @display(description=gettext_lazy("file"), header=True)
    def heading(self, run: Import) -> list[str]:
        return [run.file_name, _kind_label(run)]

    @display(description=gettext_lazy("state"), label=STATE_BADGES)
    def badge(self, run: Import) -> str:
        return run.get_state_display()

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The import; POST writes it or cancels it."""
        run = self._find(request, object_id)
        if request.method == "POST":
            return self._answer(request, run)
        page = admin.site.each_context(request) | {"title": run.file_name, "opts": self.opts}
        return render(request, "admin/imports/import.html", page | _build_context(run))

    def progress(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The part of the page that changes."""
        return render(request, "admin/imports/_state.html", _build_context(self._find(request, object_id)))

    def refused_file(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        """The refused rows with their reasons, as a CSV file to mend."""
        run = self._find(request, object_id)
        history.record_export(request, Import, f"refused-{run.pk}.csv", _("refused rows of an import"))
        headers = {
            "Content-Disposition": f'attachment; filename="refused-{run.pk}.csv"',
            "Cache-Control": "no-store",
        }
        lines = _refused_lines(run)
        return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)

    def _find(self, request: HttpRequest, object_id: str) -> Import:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return get_object_or_404(self.get_queryset(request), pk=parse_row_id(object_id))

    def _answer(self, request: HttpRequest, run: Import) -> HttpResponse:
        is_confirmed = request.POST.get("answer") == "import"
        try:
            (running.confirm if is_confirmed else running.cancel)(run.pk)
            history.record_changed(request, run, _("imported") if is_confirmed else _("cancelled"))
        except Problem as problem:
            messages.error(request, problem.detail)
        return redirect(request.path)


def _allowed_kinds(request: HttpRequest) -> list[str]:
    return [name for name, kind in KINDS.items() if request.user.has_perms(kind.permissions)]


def _kind_label(run: Import) -> str:
    kind = KINDS.get(run.kind)
    return str(kind.get_display_name()) if kind else run.kind


def _list_url(run: Import) -> str:
    """The admin's list of what a file held; "" without one."""
    kind: Any = KINDS.get(run.kind)
    model = kind._meta.model if kind else None
    if model is None or not admin.site.is_registered(model):
        return ""
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def _build_context(run: Import) -> dict[str, Any]:
    return {
        "run": run,
        "kind": _kind_label(run),
        "list_url": _list_url(run),
        "samples": [(line, label, ", ".join(columns)) for line, label, columns in run.samples],
        "refusals": run.refusals.order_by("line", "pk")[:SHOWN_REFUSALS],
        "is_guessed": run.encoding == "gb18030",
        "again": reverse("admin:imports_progress", args=[run.pk]),
    }


class _Echo:
    def write(self, text: str) -> bytes:
        return text.encode()


def _refused_lines(run: Import) -> Iterator[bytes]:
    writer: Any = csv.writer(_Echo())
    yield exports.BYTE_ORDER_MARK.encode()
    yield writer.writerow([_("row"), _("why"), _("values")])
    rows = RefusedRow.objects.filter(of=run).order_by("line", "pk").values_list("line", "reason", "values")
    for line, reason, values in list(rows):
        yield writer.writerow([exports.format_cell(cell) for cell in (line, reason, *values)])
