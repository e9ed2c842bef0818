"""The buttons that save and remove, and the choice of lists."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import auth, redirects
from apps.saves import lists, saved_sets, saves, subjects
from apps.saves.display import buttons, choosing
from apps.saves.subjects import Subject
from apps.saves.views import answers
from apps.web import htmx
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id


@never_cache
@require_POST
def save(request: HttpRequest, kind: str, subject_id: int) -> HttpResponse:
    """Save (`saved` 1) or remove (0) a shop or a note, or turn it; htmx gets the button."""
    user, subject = auth.require_user(request), subjects.parse(kind, subject_id)
    is_on = saved_sets.is_saved(user.pk, subject)
    is_wanted, token = htmx.wants_on(request.POST.get("saved"), is_on=lambda: is_on), ""
    try:
        if is_wanted:
            saves.save(user.pk, subject)
        else:
            token = saves.remove(user.pk, subject)
    except Problem as problem:
        return answers.refuse(request, problem, subject, saved=is_on)
    return answers.show_saved(request, subject, saved=is_wanted, undo=buttons.undo_url(request, token))


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
        return HttpResponse(buttons.render_toggle(request, subject, list_id=list_id))
    button = buttons.render_button(request, subject, saved=True, swaps=True)
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
    messages.success(request, answers.saved_into(chosen))
    return redirect(redirects.requested_next(request))


def _render_choice(
    request: HttpRequest, user_id: int, subject: Subject, *, error: Problem | ValidationError | None = None
) -> HttpResponse:
    """The choice; after a refused one as it was made, with the reason."""
    page = choosing.build(request, user_id, subject, error=error)
    template = "saves/_choose.html" if htmx.is_htmx(request) else "saves/choose.html"
    return render(request, template, page.context, status=page.status)
