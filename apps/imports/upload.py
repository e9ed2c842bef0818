"""The page on which a manager uploads a file of rows, as a part of those rows' admin."""

from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from import_export.admin import ImportMixin
from import_export.formats.base_formats import CSV
from unfold.contrib.import_export.forms import ImportForm
from unfold.widgets import UnfoldBooleanSwitchWidget

from apps.accounts.models import User
from apps.imports import running
from apps.imports.kinds import KINDS
from apps.imports.resource import BatchResource
from apps.web.problems import Problem

METHODS = ["GET", "HEAD", "POST"]


class AnyFormat(CSV):
    """The file itself says what it is: apps.imports.reading."""

    def get_title(self) -> str:
        return "CSV, XLSX"


class UploadForm(ImportForm):
    """The file, and what becomes of it when rows are wrong."""

    stops_at_errors = forms.BooleanField(
        label=_("Import nothing if any row is wrong"),
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        help_text=_("Otherwise the right rows are imported, and you get the others as a file."),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["resource"].label = _("What it holds")


def _manager(request: HttpRequest) -> User:
    assert isinstance(request.user, User), "the admin requires a log-in"
    return request.user


class UploadAdmin(ImportMixin):
    """A ModelAdmin mixin: the button "Import", and the page that takes a file and has a worker check it."""

    import_form_class = UploadForm
    import_template_name = "admin/imports/upload.html"
    import_export_change_list_template = "admin/imports/list_with_button.html"

    def get_import_formats(self) -> list[type[AnyFormat]]:
        return [AnyFormat]

    def has_import_permission(self, request: HttpRequest) -> bool:
        return any(request.user.has_perms(kind.permissions) for kind in self.resource_classes)

    def get_import_resource_classes(self, request: HttpRequest) -> list[type[BatchResource]]:
        return [kind for kind in self.resource_classes if request.user.has_perms(kind.permissions)]

    def get_import_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """The page's name, for the end of its path."""
        context: dict[str, Any] = super().get_import_context_data(**kwargs)
        return context | {"crumb": gettext("Import")}

    def get_import_form_initial(self, request: HttpRequest) -> dict[str, Any]:
        """What the file holds, from ?resource= of a button."""
        return {"resource": request.GET.get("resource", "0")}

    def list_upload_links(self, request: HttpRequest) -> list[tuple[str, str]]:
        """The name and the upload page of each kind of file that this person may import here."""
        names = (self.opts.app_label, self.opts.model_name)
        page = reverse("admin:{}_{}_import".format(*names))
        kinds = self.get_import_resource_classes(request)
        return [(str(kind.get_display_name()), f"{page}?resource={at}") for at, kind in enumerate(kinds)]

    def get_urls(self) -> list[URLPattern]:
        """Without the library's second step, which would import within the request."""
        return [one for one in super().get_urls() if not str(one.name).endswith("_process_import")]

    def import_action(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """The form; POST keeps the file and leads to the page of its import."""
        if not self.has_import_permission(request):
            raise PermissionDenied
        if request.method not in METHODS:
            return HttpResponseNotAllowed(METHODS)
        form = self.create_import_form(request)
        if request.method != "POST" or not form.is_valid():
            return super().import_action(request, **kwargs)
        sent, kind = form.cleaned_data["import_file"], self.choose_import_resource_class(form, request)
        try:
            made = running.start(
                next(name for name, known in KINDS.items() if known is kind),
                sent,
                name=sent.name,
                by=_manager(request),
                stops_at_errors=form.cleaned_data["stops_at_errors"],
            )
        except Problem as problem:
            form.add_error("import_file", problem.detail)
            return super().import_action(request, **kwargs)
        return redirect("admin:imports_import_change", made.pk)
