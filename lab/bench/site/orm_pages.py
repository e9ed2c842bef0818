"""The same addresses by the ORM alone, as fast as it can: the same templates, middleware and schemas.

A ROOT_URLCONF for a server of its own: its pages replace the site's, and its parts of pages theirs.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import F, FloatField, QuerySet
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import get_language
from ninja import NinjaAPI, Query, Status

from apps.accounts import api as accounts
from apps.accounts import auth, codes
from apps.accounts.limits import MAX_CHECKS_PER_DAY
from apps.accounts.login import logins
from apps.accounts.models import AccessToken, DailyCount, User
from apps.accounts.sessions import tokens
from apps.blog import schemas as note_schemas
from apps.blog.display import note_lists
from apps.blog.likes import NoteLikes
from apps.blog.models import Note
from apps.blog.templatetags import blog as notes
from apps.coupons.catalog import offers
from apps.coupons.models import Voucher
from apps.coupons.templatetags import coupons
from apps.shops import api, areas, detail_page
from apps.shops.geo import cities
from apps.shops.lists import cards, list_page, nearby, query_params
from apps.shops.models import City, Shop
from apps.signins import api as check_in_api
from apps.signins import check_ins, clock
from apps.web import paging
from apps.web.page_parts import page_part
from apps.web.problems import RowId
from config.urls import urlpatterns as site
from lab.bench.site import orm_check_in
from lab.bench.social import orm_note_pages

ON_HOME, ON_SHOP = 8, 6


def shop(request: HttpRequest, shop_id: int) -> HttpResponse:
    """Render /shops/<id>/."""
    return render(request, "shops/detail.html", detail_page.context(request, _shop_note_rows(shop_id)))


def home(request: HttpRequest) -> HttpResponse:
    """Render /."""
    return _render_nearby(request, "shops/home.html", ON_HOME)


def shop_list(request: HttpRequest) -> HttpResponse:
    """Render /shops/."""
    return _render_nearby(request, "shops/list.html", nearby.PAGE_SIZE)


def _render_nearby(request: HttpRequest, template: str, size: int) -> HttpResponse:
    choice = list_page.parse_choice(request)
    found = _nearest(choice.place.at.lat, choice.place.at.lng)[: size + 1]
    shown = {
        "choice": choice,
        "cards": cards.build(found[:size]),
        "sorts": list_page.SORT_OPTIONS,
        "next_url": "?cursor=",
    }
    return render(request, template, shown | {"tiles": settings.MAP_TILES})


def _nearest(lat: float, lng: float) -> list[Shop]:
    """Return the nearest shops within the circle, sorted by the squared distance on a flat map."""
    query = query_params.build_query(at=(lat, lng), radius_m=cities.DEFAULT_RADIUS_M)
    assert query.at, "a list around a place"
    box = areas.Box.around(query.at, query.radius_m)
    aside, up = Cast(F("lng") - lng, FloatField()), Cast(F("lat") - lat, FloatField())
    found: QuerySet[Shop] = Shop.objects.open_to_public().within(box).select_related("type")
    listed = list(found.order_by(aside * aside * 0.72 + up * up, "pk")[: nearby.PAGE_SIZE + 1])
    for one in listed:
        one.distance_m = round(areas.distance_metres(lat, lng, one.lat, one.lng))
    return listed


def _shop_note_rows(shop_id: int) -> Shop:
    return get_object_or_404(Shop.objects.open_to_public().select_related("type"), pk=shop_id)


def _offers(vouchers: QuerySet[Voucher]) -> list[offers.Offer]:
    return [offers.build_offer(voucher, {}) for voucher in vouchers]


@page_part(coupons.register, "coupons/_shop_vouchers.html")
def vouchers(about: Shop) -> dict[str, Any]:
    """Replace the site's part of that name."""
    listed = _offers(offers.shop_vouchers_query(about.pk).order_by("price", "pk")[: offers.MAX_CARDS])
    listed.sort(key=lambda one: one.phase is None)
    return {"offers": listed}


@page_part(notes.register, "blog/_shop_notes.html")
def shop_notes(about: Shop) -> dict[str, Any]:
    """Replace the site's part of that name."""
    rows = orm_note_pages.with_like_flags(Note.objects.published().filter(shop=about), None)
    found = list(rows.order_by("-published_at", "-id")[: ON_SHOP + 1])
    cards = orm_note_pages.cards(found[:ON_SHOP])
    return {"shop": about, "cards": cards, "has_more": len(found) > ON_SHOP}


@page_part(coupons.register, "coupons/_home_page_sales.html")
def flash_sales(city: City) -> dict[str, Any]:
    """Replace the site's part of that name."""
    here = cities.shop_condition(city)
    sales = Voucher.objects.offered().filter(here, sale__ends_at__gt=timezone.now())
    listed = _offers(
        sales.select_related("shop", "sale").order_by("sale__begins_at", "pk")[: offers.MAX_HOME_PAGE_CARDS]
    )
    return {"offers": listed, "city": city}


@page_part(notes.register, "blog/_popular_now.html")
def popular_now(city: City) -> dict[str, Any]:
    """Replace the site's part of that name."""
    here = Shop.objects.open_to_public().within(city.bounds).select_related("type")
    shops = here.order_by("-popularity", "-id")[:ON_HOME]
    return {"items": [note_lists.Item(**facts) for facts in note_lists._list_shop_facts(list(shops))]}


@page_part(notes.register, "blog/_hot_notes.html")
def hot_notes(city: City) -> dict[str, Any]:
    """Replace the site's part of that name."""
    here = Note.objects.published().filter(cities.shop_condition(city))
    rows = orm_note_pages.with_like_flags(here, None)
    return {"cards": orm_note_pages.cards(list(rows.order_by("-heat", "-id")[:ON_HOME]))}


json = NinjaAPI(urls_namespace="orm", docs_url=None)


@json.get("/shops", response=api.ShopsOut)
def list_shops(request: HttpRequest, wanted: Query[api.ShopsIn]) -> dict[str, Any]:
    found = _nearest(wanted.lat or 0.0, wanted.lng or 0.0)
    return {"items": found[: nearby.PAGE_SIZE], "next": "of-the-last"}


@json.get("/shops/{shop_id}", response=api.ShopDetailOut)
def read_shop(request: HttpRequest, shop_id: RowId) -> Shop:
    return _shop_note_rows(shop_id)


@json.put("/notes/{note_id}/like", auth=auth.bearer)
def like(request: HttpRequest, note_id: RowId) -> dict[str, Any]:
    with transaction.atomic():
        note = get_object_or_404(Note.objects.published().locked(), pk=note_id)
        orm_note_pages.set_like(note, auth.require_user(request), wanted=True)
    return {"liked": True, "likes": note.likes}


@json.post("/sign-ins", auth=auth.bearer, response={201: check_in_api.CheckInOut})
def check_in(request: HttpRequest) -> Status[check_ins.CheckInResult]:
    """Record the check-in in its transaction alone, without counters or work after the commit."""
    return Status(201, orm_check_in.check_in(auth.require_user(request).pk, clock.today()))


@json.get("/notes/hot", auth=auth.optional_bearer, response=note_schemas.NotesOut)
def list_hot(request: HttpRequest) -> dict[str, Any]:
    rows = orm_note_pages.with_like_flags(Note.objects.published(), auth.viewer_id(request))
    found = list(rows.order_by("-heat", "-id")[: paging.PAGE_SIZE + 1])
    items = [
        note_schemas.build_note(one, NoteLikes(one.likes, getattr(one, "liked", False)))
        for one in found[: paging.PAGE_SIZE]
    ]
    return {"items": items, "next": "of-the-last"}


@json.post("/auth/login", response=accounts.LoggedIn)
def log_in(request: HttpRequest, asked: accounts.LoginRequest) -> dict[str, Any]:
    """Count the check by the day in SQL, then log in; without the windows of ten minutes in Redis."""
    device = logins.device_from_request(request, kind=AccessToken.Kind.API)
    with transaction.atomic():
        for scope, allowed in MAX_CHECKS_PER_DAY.items():
            row, _ = DailyCount.objects.get_or_create(
                day=timezone.now().date(), what=scope, subject=DailyCount.hashed(asked.phone + device.ip)
            )
            DailyCount.objects.filter(pk=row.pk, count__lt=allowed).update(count=F("count") + 1)
    assert codes.compare_with_stored(asked.phone, asked.code, holder=asked.request) is codes.CheckResult.RIGHT
    with transaction.atomic():
        user, _ = User.objects.get_or_create(phone=asked.phone, defaults={"password": make_password(None)})
        user.language = get_language() or ""
        user.save(update_fields=["language"])
        raw = tokens._new_raw_token(user)
        tokens._token_row(user.pk, raw, device.kind, timezone.now()).save(force_insert=True)
        return {"token": raw, "user": user}


urlpatterns = [
    path("api/", json.urls),
    path("", home),
    path("shops/", shop_list),
    path("shops/<bigid:shop_id>/", shop),
    path("notes/", orm_note_pages.hot),
    path("notes/<bigid:note_id>/", orm_note_pages.note),
    path("feed/", orm_note_pages.feed),
    *site,
]
