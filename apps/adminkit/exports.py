"""CSV exports of an admin list with its filters, streamed page by page; two run at a time on the whole site.

class OrderAdmin(ExportAdmin, ReadOnlyAdmin):
    export_columns = (Column(_("order"), lambda order: order.pk), …)
"""

import csv
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from io import StringIO
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import action

from apps.adminkit import history
from apps.adminkit.change_forms import ModelAdmin
from apps.redis_kit.locks import semaphores
from apps.web import sql_deadlines

#: Rows in memory at once: each page is one query after the last id, so a slow reader keeps no cursor and no
#: transaction open.
PAGE_ROWS = 1_000
#: Seconds after which a stream that nobody reads loses its permit.
LEASE_SECONDS = 60.0
CONCURRENT_EXPORTS = semaphores.SiteSemaphore("exports", permits=2, lease=LEASE_SECONDS)
#: Characters that a spreadsheet takes for the beginning of a formula. Source: OWASP, "CSV injection".
FORMULA_PREFIXES = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - the wide ones count too
#: Digits that a spreadsheet's number keeps; a longer order number would end in zeros.
MAX_EXACT_DIGITS = 15
#: A spreadsheet reads UTF-8 when the file begins with it.
BYTE_ORDER_MARK = "\ufeff"


class Column(NamedTuple):
    """A column's title, and its value in a row."""

    title: Any
    value: Callable[[Any], object]


class ExportInterrupted(Exception):  # noqa: N818 - the reader's fault, not ours
    """The reader paused until other exports had taken its permit: the download fails halfway."""


class ExportStream:
    """The file's parts; holds a permit until the last part, or until the server closes the response."""

    def __init__(self, permit: semaphores.Permit, parts: Iterator[bytes]) -> None:
        self._permit: semaphores.Permit | None = permit
        self._parts, self._renewed = parts, time.monotonic()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            self._renew()
            return next(self._parts)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give the permit back, once."""
        permit, self._permit = self._permit, None
        if permit:
            permit.release()

    def _renew(self) -> None:
        """Renew the lease after a third of it; when it has expired, take another permit if one is free."""
        now = time.monotonic()
        if self._permit is None or now - self._renewed < LEASE_SECONDS / 3:
            return
        self._renewed = now
        if not self._permit.renew():
            self._permit = CONCURRENT_EXPORTS.acquire(wait=0)
            if self._permit is None:
                raise ExportInterrupted("the reader paused, and other exports took its permit")


class ExportAdmin(ModelAdmin):
    """A ModelAdmin mixin with a button above the list: a CSV file of every row that matches, newest first.

    People need the permission `export_<model>` beside `view_<model>`.
    """

    actions_list = ("export",)
    export_columns: Sequence[Column] = ()

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list; the button's URL carries the list's filters."""
        response: HttpResponse = super().changelist_view(request, extra_context)
        for button in (getattr(response, "context_data", None) or {}).get("actions_list", []):
            if request.GET and button["path"].endswith("/export/"):
                button["path"] += f"?{request.GET.urlencode()}"
        return response

    def has_export_permission(self, request: HttpRequest) -> bool:
        app, model = self.opts.app_label, self.opts.model_name
        return request.user.has_perms([f"{app}.view_{model}", f"{app}.export_{model}"])

    def get_export_columns(self, _request: HttpRequest) -> Sequence[Column]:
        """The columns of the file that this person gets."""
        return self.export_columns

    @action(
        description=gettext_lazy("Export as CSV"),
        url_path="export",
        icon="download",
        permissions=["export"],
    )
    def export(self, request: HttpRequest) -> HttpResponseBase:
        """The file; or back to the list with a warning while too many exports run."""
        try:
            rows = self.get_changelist_instance(request).queryset
        except IncorrectLookupParameters:
            return redirect("../?e=1")
        permit = CONCURRENT_EXPORTS.acquire(wait=0)
        if permit is None:
            warning = _("%(most)d exports are running right now. Try again in a minute.")
            messages.warning(request, warning % {"most": CONCURRENT_EXPORTS.permits})
            return redirect(f"../?{request.GET.urlencode()}")
        try:
            parts = _file_parts(self.get_export_columns(request), rows)
            return self._file(request, ExportStream(permit, parts))
        except BaseException:
            permit.release()
            raise

    def _file(self, request: HttpRequest, stream: ExportStream) -> StreamingHttpResponse:
        """The response, logged in the admin's history before its first row leaves."""
        name = f"{self.opts.model_name}-{timezone.localtime():%Y-%m-%d-%H%M}.csv"
        what = _("exported: %(what)s") % {"what": _filter_text(request) or _("the whole list")}
        history.record_export(request, self.model, name, what)
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return StreamingHttpResponse(stream, content_type="text/csv; charset=utf-8", headers=headers)


def _filter_text(request: HttpRequest) -> str:
    """The list's filters as "name=value, …", at most 500 characters."""
    return ", ".join(f"{name}={value}" for name, value in request.GET.items() if value)[:500]


def _file_parts(columns: Sequence[Column], rows: "QuerySet[Any]") -> Iterator[bytes]:
    """The file as UTF-8: the titles, then page after page of rows, largest id first."""
    # The language is read now: the pages are made in other threads, where another request's may be active.
    return _encoded_pages(columns, rows.order_by("-pk"), translation.get_language())


def _encoded_pages(columns: Sequence[Column], rows: "QuerySet[Any]", language: str | None) -> Iterator[bytes]:
    with translation.override(language):
        titles = _csv_text([[column.title for column in columns]])
    yield (BYTE_ORDER_MARK + titles).encode()
    after: int | None = None
    while True:
        with translation.override(language), sql_deadlines.patience():
            page = list((rows if after is None else rows.filter(pk__lt=after))[:PAGE_ROWS])
            text = _csv_text([column.value(row) for column in columns] for row in page)
        if not page:
            return
        yield text.encode()
        after = page[-1].pk


def format_time(when: datetime | None) -> str:
    """A time in the site's zone as spreadsheets read it, "2026-11-22 18:30:00"; "" for None."""
    return f"{timezone.localtime(when):%Y-%m-%d %H:%M:%S}" if when else ""


def _csv_text(rows: Iterable[Iterable[object]]) -> str:
    text = StringIO()
    csv.writer(text).writerows([format_cell(value) for value in row] for row in rows)
    return text.getvalue()


def format_cell(value: object) -> str:
    """A value as text that no spreadsheet runs as a formula; a long number keeps all its digits."""
    text = "" if value is None else str(value)
    is_long = text.isdecimal() and len(text) > MAX_EXACT_DIGITS
    return f"'{text}" if is_long or text.lstrip(" ").startswith(FORMULA_PREFIXES) else text


def read_cell(text: str) -> str:
    """The value of a cell that `format_cell` wrote."""
    value = text.removeprefix("'")
    return value if value != text and format_cell(value) == text else text
