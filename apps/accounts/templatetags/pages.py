"""Template tags about the current page and people's avatars."""

from functools import lru_cache

from django import template
from django.template import RequestContext
from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.accounts import phones, redirects
from apps.accounts.models import User
from apps.web.characters import first_grapheme

register = template.Library()
#: Of avatars without a picture: static/css has as many.
HUE_COUNT = 8
#: Kept with the request: a list of notes asks for it twenty times.
_PAGE_META_KEY = "savor.page"


@register.simple_tag(takes_context=True)
def this_page(context: RequestContext) -> str:
    """`{% this_page %}`: the path that a form without script leads back to, also in parts for htmx.

    The home page for an address that the site doesn't have: its refusal is the same for everybody.
    """
    # Not `context["request"]`, which parts of a page don't have.
    request = context.request
    meta = request.META
    if _PAGE_META_KEY not in meta:
        is_absent = request.resolver_match is None
        meta[_PAGE_META_KEY] = redirects.HOME_PATH if is_absent else redirects.current_page(request)
    return str(meta[_PAGE_META_KEY])


@register.filter
def masked_phone(phone: str) -> str:
    """`{{ user.phone|masked_phone }}`: enough of a number to know one's own by."""
    return phones.mask(phone)


@register.simple_tag
def avatar(person: User, size: str = "") -> SafeString:
    """`{% avatar person "small" %}`: the user's picture, or their first letter on a colour from the id."""
    return avatar_of(person.pk or 0, person.nickname, person.avatar.url if person.avatar else "", size)


@register.simple_tag
@lru_cache(1_000)
def avatar_of(person_id: int, nickname: str, url: str, size: str) -> SafeString:
    """The same of values: the id, the nickname, and the picture's URL or ""."""
    looks = f"avatar--{size}" if size else ""
    if url:
        picture = '<img class="avatar {}" src="{}" alt="" width="44" height="44" loading="lazy">'
        return format_html(picture, looks, url)
    looks, initial = f"{looks} avatar--hue-{person_id % HUE_COUNT}", first_grapheme(nickname or "?").upper()
    return format_html('<span class="avatar {}" aria-hidden="true">{}</span>', looks, initial)
