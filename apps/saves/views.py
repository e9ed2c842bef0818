"""The pages of saving: what a person saved, buttons that save and remove, and lists."""

from collections.abc import Sequence
from typing import ClassVar

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import auth, redirects
from apps.saves import access, display, lists, saves, subjects
from apps.saves.models import SaveList
from apps.saves.subjects import Subject
from apps.web import htmx
from apps.web.form_state import KeepsOthersChanges
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id

_OWN_LISTS = "/me/saves/?kind=lists"


class ListForm(KeepsOthersChanges, forms.ModelForm[SaveList]):
    """Name, description, and who may see it."""

    class Meta:
        model = SaveList
        fields = ("name", "description", "is_public")
        labels: ClassVar = {
            "name": gettext_lazy("Name"),
            "description": gettext_lazy("What is it about?"),
            "is_public": gettext_lazy("Everybody may see this list"),
        }
        help_texts: ClassVar = {
            "is_public": gettext_lazy(
                "A public list stands on your page, and you can send its link to anybody."
            )
        }
        widgets: ClassVar = {
            "name": forms.TextInput({"placeholder": gettext_lazy("Rainy Sundays"), "autofocus": True}),
            "description": forms.Textarea({"rows": 3}),
        }

    @property
    def carries_state(self) -> bool:
        """Whether it is about a list that exists: its values are given as `initial`."""
        return bool(self.initial)


@never_cache
@login_required
@require_safe
def saved(request: HttpRequest) -> HttpResponse:
    """Tabs of the person's saved shops, notes and lists; htmx gets the next rows."""
    user, tab = auth.require_user(request), display.requested_tab(request)
    if tab == "lists":
        deleted = lists.list_restorable(user.pk)
        content = {"tab": tab, "lists": display.list_rows(user.pk), "deleted": deleted}
        return render(request, "saves/mine.html", content)
    page = display.page_of_person(user.pk, display.KINDS[tab], cursor=request.GET.get("cursor", ""))
    template = "saves/_rows.html" if htmx.is_htmx(request) else "saves/mine.html"
    return render(request, template, {"tab": tab, "removable": True} | display.rows_context(request, page))


@never_cache
@require_POST
def save(request: HttpRequest, kind: str, subject_id: int) -> HttpResponse:
    """Save (`saved` 1) or remove (0) a shop or a note, or turn it; htmx gets the button."""
    user, subject = auth.require_user(request), subjects.parse(kind, subject_id)
    is_on = saves.is_saved(user.pk, subject)
    is_wanted, token = htmx.wants_on(request.POST.get("saved"), is_on=lambda: is_on), ""
    try:
        if is_wanted:
            saves.save(user.pk, subject)
        else:
            token = saves.remove(user.pk, subject)
    except Problem as problem:
        return _refuse(request, problem, subject, saved=is_on)
    return _show_saved(request, subject, saved=is_wanted, undo=display.undo_url(request, token))


@never_cache
@require_POST
def undo(request: HttpRequest) -> HttpResponse:
    """Bring back what was removed; htmx gets the button as it is then."""
    user = auth.require_user(request)
    subject = saves.restore(user.pk, request.GET.get("undo", ""))
    if not htmx.is_htmx(request):
        messages.success(request, _("It is back."))
        return redirect(redirects.requested_next(request))
    if request.POST.get("spot") == "row":
        list_id = parse_row_id(request.POST.get("list"))
        return HttpResponse(display.render_toggle(request, subject, list_id=list_id))
    button = display.render_button(request, subject, saved=True, swaps=True)
    return htmx.toast_response(_("It is back."), content=button)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def choose_lists(request: HttpRequest, kind: str, subject_id: int) -> HttpResponse:
    """The lists that a shop or a note is in, to choose from, in a dialog or on a page of its own."""
    user, subject = auth.require_user(request), subjects.parse(kind, subject_id)
    if request.method == "GET":
        return _render_choice(request, user.pk, subject)
    list_ids = [parse_row_id(text) for text in request.POST.getlist("list")]
    try:
        chosen = lists.choose(user.pk, subject, list_ids, new_name=request.POST.get("name", ""))
    except (Problem, ValidationError) as error:
        return _render_choice(request, user.pk, subject, error=error)
    messages.success(request, _saved_into(chosen))
    return redirect(redirects.requested_next(request))


def _render_choice(
    request: HttpRequest, user_id: int, subject: Subject, *, error: Problem | ValidationError | None = None
) -> HttpResponse:
    """The choice; after a refused one as it was made, with the reason."""
    page = display.build_choice(request, user_id, subject, error=error)
    template = "saves/_choose.html" if htmx.is_htmx(request) else "saves/choose.html"
    return render(request, template, page.context, status=page.status)


@never_cache
@require_safe
def show_list(request: HttpRequest, list_id: int) -> HttpResponse:
    """A public list, or the person's own; htmx gets the next rows."""
    found = access.visible_list(list_id, auth.viewer_id(request))
    template = "saves/_rows.html" if htmx.is_htmx(request) else "saves/list.html"
    return render(request, template, display.list_context(request, found))


@never_cache
@require_safe
def share_list(request: HttpRequest, list_id: int) -> HttpResponse:
    """The inside of the share sheet of a public list; only scripts ask for it, others see the list."""
    found = access.visible_list(list_id, auth.viewer_id(request))
    if not (htmx.is_htmx(request) and found.is_public):
        return redirect(found)
    return render(request, "parts/share_sheet.html", display.share_context(request, found))


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def create_list(request: HttpRequest) -> HttpResponse:
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
def edit_list(request: HttpRequest, list_id: int) -> HttpResponse:
    """The form of the person's own list."""
    found = access.own_list(list_id, auth.require_user(request).pk)
    form = ListForm(request.POST or None, initial=display.form_values(found))
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
def delete_list(request: HttpRequest, list_id: int) -> HttpResponse:
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
def restore_list(request: HttpRequest, list_id: int) -> HttpResponse:
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
    """Take a shop or a note out of the person's own list; it stays saved."""
    found = access.own_list(list_id, auth.require_user(request).pk)
    subject = subjects.parse(kind, subject_id)
    token = lists.take(found, subject)
    return _show_taken(request, found, subject, undo=display.undo_url(request, token))


def _render_form(
    request: HttpRequest, form: ListForm, *, found: SaveList | None = None, problem: Problem | None = None
) -> HttpResponse:
    if problem:
        form.add_error("name" if problem.code == "name_taken" else None, problem.detail)
    status = problem.status if problem else 422 if form.errors else 200
    return render(request, "saves/list_form.html", {"form": form, "list": found}, status=status)


def _show_saved(request: HttpRequest, subject: Subject, *, saved: bool, undo: str) -> HttpResponse:
    """The button after it was pressed; a row's own becomes the way to undo."""
    text = pgettext("among what one saved", "Saved.") if saved else _("Removed from what you saved.")
    if not htmx.is_htmx(request):
        messages.success(request, text, extra_tags=undo)
        return redirect(redirects.requested_next(request))
    if request.POST.get("spot") == "row":
        return HttpResponse(display.render_toggle(request, subject, undo=undo))
    button = display.render_button(request, subject, saved=saved)
    more = (display.choice_url(request, subject), _("Choose lists")) if saved else None
    return htmx.toast_response(text, content=button, undo=undo, more=more)


def _show_taken(request: HttpRequest, found: SaveList, subject: Subject, *, undo: str) -> HttpResponse:
    """The button of a row that was taken out of a list."""
    if not htmx.is_htmx(request):
        messages.success(request, _("Taken out of “%(list)s”.") % {"list": found.name}, extra_tags=undo)
        return redirect(found)
    return HttpResponse(display.render_toggle(request, subject, list_id=found.pk, undo=undo))


def _refuse(request: HttpRequest, problem: Problem, subject: Subject, *, saved: bool) -> HttpResponse:
    """For htmx the button as it was, and the reason as a toast; for a plain form the page of the problem."""
    if not htmx.is_htmx(request) or problem.status == 404:
        raise problem
    is_row = request.POST.get("spot") == "row"
    render = display.render_toggle(request, subject) if is_row else ""
    return htmx.refusal_response(problem, render or display.render_button(request, subject, saved=saved))


def _saved_into(chosen: Sequence[SaveList]) -> str:
    """ "Saved to Date nights, Rainy days." """
    if not chosen:
        return _("Saved, in none of your lists.")
    return _("Saved to %(lists)s.") % {"lists": ", ".join(one.name for one in chosen)}
