"""A filtered list of the admin as a CSV file, streamed page by page; few at a time on the whole site.

class OrderAdmin(Exporting, ReadOnlyAdmin):
    export_columns = (Column(_("order"), lambda order: order.pk), …)
"""

import csv
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from io import StringIO
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.contenttypes.models import ContentType
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.decorators import action

from apps.redis_kit import semaphores

#: Rows that are in memory at once: a page is one query, so a slow reader holds no cursor open.
PAGE_ROWS = 1_000
#: Seconds for which a stream that stands still keeps its permit.
LEASE_SECONDS = 60.0
CONCURRENT_EXPORTS = semaphores.SiteSemaphore("exports", permits=2, lease=LEASE_SECONDS)
#: What a spreadsheet takes for the beginning of a formula. Source: OWASP, "CSV injection".
FORMULA_PREFIXES = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - the wide ones count too
#: Digits that a spreadsheet's number keeps; past them an order's number would end in zeros.
MAX_EXACT_DIGITS = 15
#: A spreadsheet reads UTF-8 when the file begins with it.
BYTE_ORDER_MARK = "\ufeff"


class Column(NamedTuple):
    """A column's title, and its value in a row."""

    title: Any
    value: Callable[[Any], object]


class ExportInterrupted(Exception):  # noqa: N818 - the reader's fault, not ours
    """A reader stood still until others had taken its place: the file ends broken, not short."""


class ExportStream:
    """The file's parts; holds its permit until the last one, or until it is closed because nobody listens."""

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
        """The lease starts anew at each third of it; one that ended is taken again, if another is free."""
        now = time.monotonic()
        if self._permit is None or now - self._renewed < LEASE_SECONDS / 3:
            return
        self._renewed = now
        if not self._permit.renew():
            self._permit = CONCURRENT_EXPORTS.take(wait=0)
            if self._permit is None:
                raise ExportInterrupted("an export stood still, and its place is taken")


class ExportAdmin(ModelAdmin):
    """A button above the list: what is listed, in every row of it, newest first."""

    actions_list = ("export",)
    export_columns: Sequence[Column] = ()

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The button's address carries the list's filters."""
        answer: HttpResponse = super().changelist_view(request, extra_context)
        for button in (getattr(answer, "context_data", None) or {}).get("actions_list", []):
            if request.GET and button["path"].endswith("/export/"):
                button["path"] += f"?{request.GET.urlencode()}"
        return answer

    def has_export_permission(self, request: HttpRequest) -> bool:
        app, model = self.opts.app_label, self.opts.model_name
        return request.user.has_perms([f"{app}.view_{model}", f"{app}.export_{model}"])

    @action(
        description=gettext_lazy("Export as CSV"),
        url_path="export",
        icon="download",
        permissions=["export"],
    )
    def export(self, request: HttpRequest) -> HttpResponseBase:
        """The file, or back to the list with a sentence."""
        try:
            rows = self.get_changelist_instance(request).queryset
        except IncorrectLookupParameters:
            return redirect("../?e=1")
        permit = CONCURRENT_EXPORTS.take(wait=0)
        if permit is None:
            sentence = _("%(most)d exports are running right now. Try again in a minute.")
            messages.warning(request, sentence % {"most": CONCURRENT_EXPORTS.permits})
            return redirect(f"../?{request.GET.urlencode()}")
        try:
            return self._file(request, ExportStream(permit, _file_parts(self.export_columns, rows)))
        except BaseException:
            permit.release()
            raise

    def _file(self, request: HttpRequest, stream: ExportStream) -> StreamingHttpResponse:
        """Noted before the first row is out: who took what."""
        assert request.user.pk is not None, "the admin lets nobody in without a log-in"
        name = f"{self.opts.model_name}-{timezone.localtime():%Y-%m-%d-%H%M}.csv"
        LogEntry.objects.create(
            user_id=request.user.pk,
            content_type=ContentType.objects.get_for_model(self.model),
            object_repr=name,
            action_flag=CHANGE,
            change_message=_("exported: %(what)s") % {"what": _filter_text(request) or _("the whole list")},
        )
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return StreamingHttpResponse(stream, content_type="text/csv; charset=utf-8", headers=headers)


def _filter_text(request: HttpRequest) -> str:
    """What the list was narrowed to, as its address says."""
    return ", ".join(f"{name}={value}" for name, value in request.GET.items() if value)[:500]


def _file_parts(columns: Sequence[Column], rows: "QuerySet[Any]") -> Iterator[bytes]:
    """The file as UTF-8: the titles, then page after page of rows, largest id first."""
    # Looked up now: what follows runs in other threads, which speak the language of somebody else.
    return _encoded_pages(columns, rows.order_by("-pk"), translation.get_language())


def _encoded_pages(columns: Sequence[Column], rows: "QuerySet[Any]", language: str | None) -> Iterator[bytes]:
    with translation.override(language):
        titles = _csv_text([[column.title for column in columns]])
    yield (BYTE_ORDER_MARK + titles).encode()
    page = list(rows[:PAGE_ROWS])
    while page:
        with translation.override(language):
            written = _csv_text([column.value(row) for column in columns] for row in page)
        yield written.encode()
        page = list(rows.filter(pk__lt=page[-1].pk)[:PAGE_ROWS])


def format_time(when: datetime | None) -> str:
    """The site's time, to the second, as spreadsheets read it."""
    return f"{timezone.localtime(when):%Y-%m-%d %H:%M:%S}" if when else ""


def _csv_text(rows: Iterable[Iterable[object]]) -> str:
    text = StringIO()
    csv.writer(text).writerows([format_cell(value) for value in row] for row in rows)
    return text.getvalue()


def format_cell(value: object) -> str:
    """A value as text that no spreadsheet calculates with; a long number is text too, to keep its digits."""
    text = "" if value is None else str(value)
    is_long = text.isdecimal() and len(text) > MAX_EXACT_DIGITS
    return f"'{text}" if is_long or text.lstrip(" ").startswith(FORMULA_PREFIXES) else text
