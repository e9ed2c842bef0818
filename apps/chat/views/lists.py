"""The list of one's chats, and new ones."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import auth
from apps.chat import chats, unread
from apps.chat.models import MAX_NAME_LENGTH
from apps.chat.pages import people_choice
from apps.chat.views import refused
from apps.web import htmx
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id

MAX_WORDS_LENGTH = 60


@never_cache
@require_safe
def chat_list(request: HttpRequest) -> HttpResponse:
    """One's chats, the latest first; htmx gets the rows alone, with ?at= of the chat beside them."""
    user = auth.require_user(request)
    words = request.GET.get("q", "").strip()[:MAX_WORDS_LENGTH]
    with refused.as_problems():
        page = chats.list_mine(user.pk, request.GET.get("cursor", ""), words)
    # The header of this page counts the same chats as its list.
    unread.forget(user.pk)
    template = "chat/_chat_rows.html" if htmx.is_htmx(request) else "chat/list.html"
    at = parse_row_id(request.GET.get("at"))
    return render(request, template, {"rows": page.items, "next": page.next, "words": words, "at": at})


@never_cache
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Choose people (GET), then open the chat with one of them or make a group (POST)."""
    user = auth.require_user(request)
    if request.method == "GET":
        return render_choice(request, "chat/new.html")
    person_ids, name = read_people(request.POST.getlist("person")), request.POST.get("name", "").strip()
    if not person_ids:
        raise Problem(422, "invalid", _("Choose at least one person."))
    with refused.as_problems():
        if len(person_ids) == 1 and not name:
            chat = chats.open_with(user.pk, person_ids[0])
        else:
            chat = chats.create_group(user.pk, person_ids, name)
    return redirect("chat:show", chat.pk)


@never_cache
@require_POST
def open_with(request: HttpRequest, person_id: int) -> HttpResponse:
    """The button "Message" on a person's page."""
    return redirect("chat:show", chats.open_with(auth.require_user(request).pk, person_id).pk)


def render_choice(
    request: HttpRequest, template: str, *, without: frozenset[int] = frozenset(), **about: object
) -> HttpResponse:
    """A page that asks for people; htmx gets its list of people alone."""
    words = request.GET.get("q", "").strip()[:MAX_WORDS_LENGTH]
    choices = people_choice.list_choices(
        auth.require_user(request).pk,
        words=words,
        picked=read_people(request.GET.getlist("person")),
        without=without,
    )
    context = about | {"choices": choices, "words": words, "max_length": MAX_NAME_LENGTH}
    return render(request, "chat/_choices.html" if htmx.is_htmx(request) else template, context)


def read_people(texts: list[str]) -> list[int]:
    """The ids that a form's boxes send, without what is no id."""
    return [person_id for person_id in map(parse_row_id, texts) if person_id]
