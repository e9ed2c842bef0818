"""The pages of chat: the list, an open chat, what it says about itself, sharing, and reports."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

from django.contrib import messages as page_messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from apps.accounts import auth
from apps.accounts.models import User
from apps.adminkit import qr_codes
from apps.chat import access, chats, members, messages, pages, pictures, reportable, unread
from apps.chat.models import MAX_MESSAGE_LENGTH, MAX_NAME_LENGTH, Message
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
    with as_problems():
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
    with as_problems():
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
    choices = pages.list_choices(
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


@never_cache
@require_safe
def show(request: HttpRequest, chat_id: int) -> HttpResponse:
    """A chat with its newest messages, or those before a number; htmx gets messages alone, or later ones."""
    user = auth.require_user(request)
    before = parse_row_id(request.GET.get("before")) or None
    row = chats.get_mine(user.pk, chat_id)
    if htmx.is_htmx(request):
        after = parse_row_id(request.GET["after"]) if "after" in request.GET else None
        part = pages.build_page_part(row, user.pk, before=before, after=after)
        return render(request, "chat/_messages.html", part)
    return render(request, "chat/chat.html", pages.build_page(row, user.pk, before=before))


@never_cache
@require_POST
def post(request: HttpRequest, chat_id: int) -> HttpResponse:
    """Send a message; the page's script gets it drawn, with status 201, or the refusal as JSON."""
    user = auth.require_user(request)
    if htmx.is_htmx(request):
        return _answer_script(request, user, chat_id)
    try:
        _post(request, user, chat_id)
    except Problem as problem:
        page_messages.error(request, problem.detail)
        draft = request.POST.get("text", "")
        page = pages.build_page(chats.get_mine(user.pk, chat_id), user.pk, draft=draft)
        return render(request, "chat/chat.html", page, status=problem.status)
    return redirect("chat:show", chat_id)


@never_cache
@require_POST
def delete(request: HttpRequest, chat_id: int, number: int) -> HttpResponse:
    """Delete a message of the person's own; htmx gets what is left of it."""
    user = auth.require_user(request)
    messages.delete(user.pk, chat_id, number)
    if not htmx.is_htmx(request):
        page_messages.success(request, _("The message is deleted."))
        return redirect("chat:show", chat_id)
    return _render_one(request, user, chat_id, messages.history(user.pk, chat_id, after=number - 1, size=1))


@never_cache
@require_POST
def mark_seen(request: HttpRequest, chat_id: int) -> HttpResponse:
    """The page says up to which number its reader has seen the chat."""
    user = auth.require_user(request)
    unread.move_seen(user.pk, chat_id, parse_row_id(request.POST.get("number")))
    return HttpResponse(status=204)


@cache_control(private=True, max_age=86_400)
@require_safe
def picture(request: HttpRequest, name: str) -> HttpResponseBase:
    """A picture of a chat that the reader is in."""
    return pictures.open_file(request, auth.require_user(request).pk, name)


def _answer_script(request: HttpRequest, user: User, chat_id: int) -> HttpResponse:
    try:
        message = _post(request, user, chat_id)
    except Problem as problem:
        return problem.as_json()
    return _render_one(request, user, chat_id, [message], status=201)


def _render_one(
    request: HttpRequest, user: User, chat_id: int, found: list[Message], *, status: int = 200
) -> HttpResponse:
    (row,) = pages.build_rows(found, viewer_id=user.pk)
    about = {"chat": access.member(user.pk, chat_id).chat, "row": row}
    return render(request, "chat/_message.html", about, status=status)


def _post(request: HttpRequest, user: User, chat_id: int) -> Message:
    with as_problems():
        return pages.send(
            user,
            chat_id,
            text=request.POST.get("text", ""),
            client_id=request.POST.get("client_id", ""),
            picture=request.FILES.get("picture"),
            mention_ids=[parse_row_id(picked) for picked in request.POST.getlist("mention")],
        )


@never_cache
@require_safe
def about(request: HttpRequest, chat_id: int) -> HttpResponse:
    """Who is in a chat, and what one may do with it."""
    user = auth.require_user(request)
    row = chats.get_mine(user.pk, chat_id)
    context = {"row": row, "members": members.list_members(user.pk, chat_id), "max_length": MAX_NAME_LENGTH}
    return render(request, "chat/about.html", context)


@never_cache
@require_POST
def rename(request: HttpRequest, chat_id: int) -> HttpResponse:
    """Give a group another name."""
    with as_problems():
        chats.rename(auth.require_user(request).pk, chat_id, request.POST.get("name", ""))
    page_messages.success(request, _("The group has a new name."))
    return redirect("chat:about", chat_id)


@never_cache
@require_POST
def mute(request: HttpRequest, chat_id: int) -> HttpResponse:
    """Mute a chat (`muted` 1), or count its news again (0)."""
    chats.mute(auth.require_user(request).pk, chat_id, request.POST.get("muted") == "1")
    return redirect("chat:about", chat_id)


@never_cache
@require_http_methods(["GET", "POST"])
def invite(request: HttpRequest, chat_id: int) -> HttpResponse:
    """Choose people (GET), then add them to the group (POST)."""
    user = auth.require_user(request)
    if request.method == "GET":
        row = chats.get_mine(user.pk, chat_id)
        known = frozenset(member.user_id for member in members.list_members(user.pk, chat_id))
        return render_choice(request, "chat/invite.html", without=known, row=row)
    person_ids = read_people(request.POST.getlist("person"))
    if not person_ids:
        raise Problem(422, "invalid", _("Choose at least one person."))
    members.invite(user.pk, chat_id, person_ids)
    return redirect("chat:show", chat_id)


@never_cache
@require_http_methods(["GET", "POST"])
def leave(request: HttpRequest, chat_id: int) -> HttpResponse:
    """Ask before one leaves (GET), then leave (POST)."""
    user = auth.require_user(request)
    row = chats.get_mine(user.pk, chat_id)
    if request.method == "GET":
        return render(request, "chat/leave.html", {"row": row})
    members.leave(user.pk, chat_id)
    page_messages.success(request, _("You left the chat."))
    return redirect("chat:list")


@never_cache
@require_http_methods(["GET", "POST"])
def share(request: HttpRequest) -> HttpResponse:
    """Choose a chat (GET), then send the card to it with a few words (POST); without a kind `text` alone."""
    user = auth.require_user(request)
    sent = request.POST if request.method == "POST" else request.GET
    kind, row_id = sent.get("kind", ""), parse_row_id(sent.get("id"))
    text = "" if kind else sent.get("text", "")[:MAX_MESSAGE_LENGTH]
    card = pages.load_one(kind, row_id)
    if card is None and not text:
        raise Http404(kind)
    if request.method == "POST":
        return _send(request, user.pk, messages.Card(kind, row_id) if card else None)
    words = request.GET.get("q", "").strip()[:MAX_WORDS_LENGTH]
    with as_problems():
        page = chats.list_mine(user.pk, request.GET.get("cursor", ""), words)
    about = {
        "card": card,
        "kind": kind,
        "id": row_id,
        "text": text,
        "rows": page.items,
        "next": page.next,
        "words": words,
    }
    return render(request, "chat/_share_rows.html" if htmx.is_htmx(request) else "chat/share.html", about)


@require_safe
def share_sheet(request: HttpRequest) -> HttpResponse:
    """The inside of the share sheet: preview, link, QR code, and ways to share it; the same for everybody.

    Only scripts ask for it; others are led to the chats.
    """
    kind, row_id = request.GET.get("kind", ""), parse_row_id(request.GET.get("id"))
    card = pages.load_one(kind, row_id)
    if card is None:
        raise Http404(kind)
    if not htmx.is_htmx(request):
        return redirect(f"{reverse('chat:share')}?{urlencode({'kind': kind, 'id': row_id})}")
    address = request.build_absolute_uri(card["url"])
    about = {"card": card, "kind": kind, "id": row_id, "address": address}
    return render(request, "parts/share_sheet.html", about | {"qr": qr_codes.render_svg(address)})


def _send(request: HttpRequest, user_id: int, card: messages.Card | None) -> HttpResponse:
    chat_id = parse_row_id(request.POST.get("chat"))
    with as_problems():
        messages.post(
            user_id,
            chat_id,
            request.POST.get("text", ""),
            client_id=request.POST.get("client_id", ""),
            card=card,
        )
    page_messages.success(request, _("Shared."))
    return redirect("chat:show", chat_id)


@never_cache
@require_GET
def report(request: HttpRequest, chat_id: int) -> HttpResponse:
    """Redirect to the page that reports message ?number= of a chat, or the chat."""
    member = access.member(auth.require_user(request).pk, chat_id)
    number = parse_row_id(request.GET.get("number"))
    if not number:
        return redirect("moderation:report", "chat", chat_id)
    return redirect("moderation:report", "message", reportable.find_message(member, number).pk)


@contextmanager
def as_problems() -> Iterator[None]:
    """Inside, a text that can't be kept is Problem 422 invalid."""
    try:
        yield
    except ValidationError as error:
        raise Problem(422, "invalid", " ".join(error.messages)) from error
