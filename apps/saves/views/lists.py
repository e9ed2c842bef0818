"""Lists: look at one; make, change and delete one's own, and take something out."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import auth
from apps.saves import access, lists, subjects
from apps.saves.display import buttons, list_pages
from apps.saves.forms import ListForm
from apps.saves.models import SaveList
from apps.saves.views import answers
from apps.web import htmx
from apps.web.problems import Problem

_OWN_LISTS = "/me/saves/?kind=lists"


@never_cache
@require_safe
def show(request: HttpRequest, list_id: int) -> HttpResponse:
    """A public list, or one's own; htmx gets the next rows."""
    found = access.visible_list(list_id, auth.viewer_id(request))
    template = "saves/_rows.html" if htmx.is_htmx(request) else "saves/list.html"
    return render(request, template, list_pages.context(request, found))


@never_cache
@require_safe
def share(request: HttpRequest, list_id: int) -> HttpResponse:
    """The inside of the share sheet of a public list; only scripts ask for it, others see the list."""
    found = access.visible_list(list_id, auth.viewer_id(request))
    if not (htmx.is_htmx(request) and found.is_public):
        return redirect(found)
    return render(request, "parts/share_sheet.html", list_pages.share_context(request, found))


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    """The form of a new list."""
    user = auth.require_user(request)
    form = ListForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = lists.create(user.pk, **form.cleaned_data)
        except Problem as problem:
            return _render_form(request, form, problem=problem)
        messages.success(request, _("Your list is ready. Save shops and notes to it."))
        return redirect(made)
    return _render_form(request, form)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, list_id: int) -> HttpResponse:
    """The form of one's own list."""
    found = access.own_list(list_id, auth.require_user(request).pk)
    form = ListForm(request.POST or None, initial=list_pages.form_values(found))
    if request.method == "POST" and form.is_valid():
        try:
            lists.change(found, **form.cleaned_data)
        except Problem as problem:
            return _render_form(request, form, found=found, problem=problem)
        messages.success(request, _("Saved."))
        return redirect(found)
    return _render_form(request, form, found=found)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def delete(request: HttpRequest, list_id: int) -> HttpResponse:
    """Ask before a list is deleted (GET), then delete it."""
    found = access.own_list(list_id, auth.require_user(request).pk)
    if request.method == "GET":
        template = "saves/_delete_list.html" if htmx.is_htmx(request) else "saves/delete_list.html"
        return render(request, template, {"list": found})
    lists.delete(found)
    text = _("“%(list)s” is deleted. What was in it stays saved.") % {"list": found.name}
    messages.success(request, text, extra_tags=reverse("saves:restore_list", args=[found.pk]))
    return redirect(_OWN_LISTS)


@never_cache
@require_POST
def restore(request: HttpRequest, list_id: int) -> HttpResponse:
    """Bring a deleted list back."""
    found = access.own_deleted_list(list_id, auth.require_user(request).pk)
    try:
        lists.restore(found)
    except Problem as problem:
        messages.error(request, problem.detail)
        return redirect(_OWN_LISTS)
    text = _("“%(list)s” is back.") % {"list": found.name}
    if htmx.is_htmx(request):
        return htmx.toast_response(text, more=(found.get_absolute_url(), _("Open it")))
    messages.success(request, text)
    return redirect(found)


@never_cache
@require_POST
def take(request: HttpRequest, list_id: int, kind: str, subject_id: int) -> HttpResponse:
    """Take a shop or a note out of one's own list; it stays saved."""
    found = access.own_list(list_id, auth.require_user(request).pk)
    subject = subjects.parse(kind, subject_id)
    token = lists.take(found, subject)
    return answers.show_taken(request, found, subject, undo=buttons.undo_url(request, token))


def _render_form(
    request: HttpRequest, form: ListForm, *, found: SaveList | None = None, problem: Problem | None = None
) -> HttpResponse:
    if problem:
        form.add_error("name" if problem.code == "name_taken" else None, problem.detail)
    status = problem.status if problem else 422 if form.errors else 200
    return render(request, "saves/list_form.html", {"form": form, "list": found}, status=status)
