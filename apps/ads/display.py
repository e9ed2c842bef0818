"""Ads on the site: the subject of a page, its viewer, the ad's card, and clicks and purchases that follow.

A subject has content words, and the places that the page belongs to. The viewer is a browser by its cookie,
or a person's program by its token.
"""

import logging
import re
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from apps.accounts import auth
from apps.accounts.sessions import cookies, tokens
from apps.accounts.sessions.tokens import Login
from apps.ads import keys, limits, serving, targeting
from apps.ads.models import Ad
from apps.ads.serving import Recorded, Served
from apps.ads.viewer import Viewer
from apps.blog import access
from apps.coupons.models import VoucherOrder
from apps.redis_kit import client
from apps.shops.geo import location
from apps.shops.lists import query_params
from apps.shops.models import Shop
from apps.uv import page_views, visitors
from apps.web import client_address, in_language
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id

#: Runs of Chinese characters, and words of other scripts.
_WORD_PATTERN = re.compile(r"[\u3400-\u9fff]+|[^\W_]+(?:['’][^\W_]+)*")  # noqa: RUF001 - both apostrophes
_HAN_PATTERN = re.compile(r"[\u3400-\u9fff]")
#: Characters of a text that are read; a page has room for 16 words.
MAX_TEXT_LENGTH = 200

#: A click of a browser that came so lately costs nothing: a script that collects cookies has to wait.
NEW_SECONDS = 10
log = logging.getLogger(__name__)


class Subject(NamedTuple):
    """`place_names` are the readable names of `locations`, in the reader's language."""

    words: list[str]
    locations: list[str]
    place_names: list[str]


def for_shop(shop_id: int) -> Subject:
    """What a shop's page is about; Http404 for a shop that is not listed."""
    return _about_shop(query_params.load_shop(shop_id))


def for_note(note_id: int) -> Subject:
    """What a published note is about: its title, and its shop; Http404 for others."""
    note = access.note(note_id, None)
    return _about_shop(note.shop, note.title)


def for_search(request: HttpRequest, text: str) -> Subject:
    """The subject of a search in the chosen city."""
    city = location.from_request(request).city
    # Ads name cities as the shops' columns do.
    locations = targeting.page_locations("" if city.is_everywhere else city.name_en or city.name_zh)
    names = [city.name, _("any city")]
    return Subject(targeting.normalize_words(split_words(text)), locations, names[-len(locations) :])


def _about_shop(shop: Shop, title: str = "") -> Subject:
    kind, city, area = shop.type, shop.city_en or shop.city_zh, shop.area_en or shop.area_zh
    texts = (title, kind.name_en, kind.name_zh, shop.name_en, shop.name_zh)
    words = [kind.slug, *(word for text in texts for word in split_words(text))]
    names = [shop.place, shop.city, _("any city")]
    locations = targeting.page_locations(city, area)
    return Subject(targeting.normalize_words(words), locations, names[-len(locations) :])


def split_words(text: str) -> Iterator[str]:
    """The words of a text, and each pair of neighbours; of Chinese text each pair of characters."""
    before = ""
    for word in _WORD_PATTERN.findall(text[:MAX_TEXT_LENGTH]):
        if _HAN_PATTERN.match(word):
            yield from (word[at : at + 2] for at in range(max(1, len(word) - 1)))
            before = ""
            continue
        yield word
        if before:
            yield f"{before} {word}"
        before = word


def identify_viewer(request: HttpRequest) -> Viewer:
    """The viewer of a request: the browser where there is one, so that a log-in changes nothing."""
    login, ip = find_login(request), client_address.client_ip(request)
    return Viewer(
        key=_key(request, login, ip),
        ip=ip,
        is_new=_is_new(request, login),
        user_id=login.user_id if login else None,
        is_bot=page_views.is_bot(request.headers.get("User-Agent", "")),
        is_staff=bool(login and auth.fetch_user(login).is_staff),
    )


def find_login(request: HttpRequest) -> Login | None:
    """The log-in of a bearer token or of a browser's cookie."""
    sent: Any = getattr(request, "auth", None)
    return sent if isinstance(sent, Login) else tokens.resolve(cookies.read_token(request))


def _is_new(request: HttpRequest, login: Login | None) -> bool:
    """Whether the browser's first visit was seconds ago, or is unknown."""
    cookie = visitors.read_cookie(request)
    return time.time() - visitors.first_seen(cookie) < NEW_SECONDS if cookie else login is None


def _key(request: HttpRequest, login: Login | None, ip: str) -> str:
    if cookie := visitors.read_cookie(request):
        return visitors.digest(cookie)
    # A network's browsers without a cookie are one viewer: what was hidden for one of them is for all.
    return f"user-{login.user_id}" if login else visitors.digest(ip)


def build(served: Served, subject: Subject) -> dict[str, Any] | None:
    """{"ticket", "ad"} in the reader's language; None when the ad has just been deleted."""
    ad = Ad.objects.select_related("campaign__advertiser", "shop").filter(pk=served.ad_id).first()
    return {"ticket": served.ticket, "ad": _card(ad, served, subject)} if ad else None


def _card(ad: Ad, served: Served, subject: Subject) -> dict[str, Any]:
    advertiser = ad.campaign.advertiser.name
    place = subject.place_names[subject.locations.index(served.location)]
    return {
        "id": ad.pk,
        "title": ad.title,
        "title_language": in_language.language_of(ad.title),
        "text": ad.text,
        "text_language": in_language.language_of(ad.text),
        "advertiser": advertiser,
        "advertiser_language": in_language.language_of(advertiser),
        "picture": ad.picture_url or None,
        "shop_id": ad.shop_id,
        "url": reverse("ads:follow", args=[ad.pk, served.ticket]),
        "why": explain(advertiser, place, readable_words(served.words)),
    }


def readable_words(words: Sequence[str]) -> Sequence[str]:
    """The words in the reader's language, since an ad has most words in both; all if there are none."""
    language = "zh-Hans" if in_language.is_chinese() else "en"
    return [word for word in words if in_language.language_of(word) == language] or words


def explain(advertiser: str, place: str, words: Sequence[str]) -> str:
    """Why a person sees an ad, in a sentence or two: who pays, for which place, which words matched."""
    if not words:
        return _("%(advertiser)s pays for this ad. It is meant for pages about %(place)s.") % {
            "advertiser": advertiser,
            "place": place,
        }
    quoted = pgettext("between words", ", ").join(_("“%(word)s”") % {"word": word} for word in words)
    return _(
        "%(advertiser)s pays for this ad. It is meant for pages about %(place)s and about %(words)s."
    ) % {
        "advertiser": advertiser,
        "place": place,
        "words": quoted,
    }


def record_click(request: HttpRequest, ticket: str) -> None:
    """Record a click; the link leads on even if that fails."""
    if request.method != "GET" or _is_prefetch(request):
        return
    try:
        viewer = identify_viewer(request)
        limits.charge(limits.EVENTS, viewer)
        serving.record_click(ticket, viewer)
    except (Problem, *client.UNAVAILABLE):
        log.warning("a click of an ad could not be counted")


def _is_prefetch(request: HttpRequest) -> bool:
    """Whether a browser loads the page ahead, in case the link is followed."""
    purposes = (request.headers.get(name, "") for name in page_views.PREFETCH_HEADERS)
    return any(purpose.lower().startswith(("prefetch", "preview")) for purpose in purposes)


def record_purchase(ticket: str, viewer: Viewer) -> Recorded:
    """Record the action of a ticket whose viewer paid an order of the ad's shop after the click.

    Problem 401 for a visitor, 409 "nothing_bought" if nothing was bought after the click.
    """
    if viewer.user_id is None:
        raise Problem(401, "not_logged_in")
    ad_id, _dash, random_part = ticket.partition("-")
    clicked_ms = client.get().hget(keys.TICKET(ticket=random_part), "clicked")
    if clicked_ms and not _has_bought(ad_id, viewer.user_id, int(clicked_ms)):
        raise Problem(409, "nothing_bought", _("Nothing was bought here since the ad was followed."))
    return serving.record_action(ticket, viewer)


def _has_bought(ad_id: str, user_id: int, since_ms: int) -> bool:
    since = datetime.fromtimestamp(since_ms / 1000, tz=UTC)
    ad = Ad.objects.filter(pk=parse_row_id(ad_id), shop__isnull=False).first()
    orders = VoucherOrder.objects.paid().filter(user=user_id, accepted_at__gte=since)
    return ad is not None and orders.filter(voucher__shop=ad.shop_id).exists()
