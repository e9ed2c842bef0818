"""Shares a note, a shop, a voucher or a flash sale: the share sheet, and in a chat."""

from urllib.parse import urlencode

from django.contrib import messages as page_messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts import auth
from apps.adminkit import qr_codes
from apps.chat import chats, messages
from apps.chat.pages import cards
from apps.chat.views import refused
from apps.web import htmx
from apps.web.problems.ids import parse_row_id

MAX_WORDS_LENGTH = 60


@never_cache
@require_http_methods(["GET", "POST"])
def share(request: HttpRequest) -> HttpResponse:
    """Choose a chat (GET), then send the card to it with a few words (POST)."""
    user = auth.require_user(request)
    sent = request.POST if request.method == "POST" else request.GET
    kind, row_id = sent.get("kind", ""), parse_row_id(sent.get("id"))
    card = cards.load_one(kind, row_id)
    if card is None:
        raise Http404(kind)
    if request.method == "POST":
        return _send(request, user.pk, messages.Card(kind, row_id))
    words = request.GET.get("q", "").strip()[:MAX_WORDS_LENGTH]
    with refused.as_problems():
        page = chats.list_mine(user.pk, request.GET.get("cursor", ""), words)
    about = {"card": card, "kind": kind, "id": row_id, "rows": page.items, "next": page.next, "words": words}
    return render(request, "chat/_share_rows.html" if htmx.is_htmx(request) else "chat/share.html", about)


@require_safe
def share_sheet(request: HttpRequest) -> HttpResponse:
    """The inside of the share sheet: preview, link, QR code, and ways to share it; the same for everybody.

    Only scripts ask for it; others are led to the chats.
    """
    kind, row_id = request.GET.get("kind", ""), parse_row_id(request.GET.get("id"))
    card = cards.load_one(kind, row_id)
    if card is None:
        raise Http404(kind)
    if not htmx.is_htmx(request):
        return redirect(f"{reverse('chat:share')}?{urlencode({'kind': kind, 'id': row_id})}")
    address = request.build_absolute_uri(card["url"])
    about = {"card": card, "kind": kind, "id": row_id, "address": address}
    return render(request, "parts/share_sheet.html", about | {"qr": qr_codes.render_svg(address)})


def _send(request: HttpRequest, user_id: int, card: messages.Card) -> HttpResponse:
    chat_id = parse_row_id(request.POST.get("chat"))
    with refused.as_problems():
        messages.post(
            user_id,
            chat_id,
            request.POST.get("text", ""),
            client_id=request.POST.get("client_id", ""),
            card=card,
        )
    page_messages.success(request, _("Shared."))
    return redirect("chat:show", chat_id)
