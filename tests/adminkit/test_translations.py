"""The admin marks and finds what is missing in one of the two languages, and edits both."""

import re

import pytest
from django.contrib import admin
from django.contrib.admin.options import ModelAdmin
from django.contrib.admin.utils import flatten_fieldsets
from django.core.exceptions import FieldDoesNotExist
from django.db.models import Model
from django.test import Client, RequestFactory
from django.utils import translation
from django.utils.functional import Promise

from apps.accounts.models import User
from apps.adminkit import translations
from apps.shops.models import Shop
from tests import markup
from tests.blog import makers as notes
from tests.factories import ShopFactory, UserFactory, VoucherOrderFactory
from tests.shops import makers

pytestmark = pytest.mark.django_db
TEXTS = ("name", "about")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({}, ""),
        ({"name_zh": "三楼火锅"}, ""),
        ({"name_zh": "三楼火锅", "about_zh": "靠窗"}, "English is missing"),
        ({"name_zh": "三楼火锅", "about_en": "By the window"}, "Chinese is missing"),
        ({"about_zh": "靠窗"}, "English is missing · Chinese is missing"),
    ],
)
def test_a_row_says_what_is_missing(texts: dict[str, str], expected: str) -> None:
    shop = Shop(name_en="Third Floor" if texts else "", **texts)
    with translation.override("en"):
        assert translations.missing_label(shop, TEXTS) == expected


@pytest.mark.both_databases
def test_the_list_finds_shops_that_lack_a_language(boss: Client) -> None:
    whole = {f"{name}_zh": "中文" for name in ("name", "city", "area", "address")}
    makers.shop("Whole", **whole)
    makers.shop("Without Chinese", **whole | {"address_zh": ""})
    makers.shop("", **whole)
    for language, expected in (("", 3), ("zh-hans", 1), ("en", 1)):
        page = boss.get("/admin/shops/shop/", {"missing": language} if language else {})
        assert page.context["cl"].result_count == expected, language
    html = boss.get("/admin/shops/shop/", {"missing": "zh-hans"}).content.decode()
    assert "Without Chinese" in html
    assert "Chinese is missing" in html


def test_the_form_has_both_languages_side_by_side(boss: Client) -> None:
    form = boss.get("/admin/shops/shop/add/").context["adminform"]
    lines = [tuple(line.fields) for fieldset in form for line in fieldset]
    assert {("name_en", "name_zh"), ("address_en", "address_zh"), ("hours_en", "hours_zh")} <= set(lines)


def test_each_field_that_managers_see_has_a_name_that_can_be_translated() -> None:
    own = [one for model, one in admin.site._registry.items() if model.__module__.startswith("apps.")]
    shown = [(one.model, name) for one in own for name in shown_names(one)]
    fields = {f"{model.__name__}.{name}": field_at(model, name) for model, name in shown}
    assert len(fields) > 100
    assert [name for name, field in fields.items() if not is_translated(field)] == []


def shown_names(one: ModelAdmin[Model]) -> set[str]:
    """The names that a manager's list, its filters and its form show."""
    request = RequestFactory().get("/")
    request.user = User(is_superuser=True, is_staff=True, is_active=True)
    filters = [each[0] if isinstance(each, tuple) else each for each in one.get_list_filter(request)]
    names = [*one.get_list_display(request), *filters, *flatten_fieldsets(one.get_fieldsets(request))]
    return {name for name in names if isinstance(name, str)}


def field_at(model: type[Model], path: str) -> object:
    """The field at a path such as `note__author`; None where the admin computes the value."""
    field = None
    try:
        for name in path.split("__"):
            field = model._meta.get_field(name)
            model = field.related_model or model
    except FieldDoesNotExist:
        return None
    return field


def is_translated(field: object) -> bool:
    return not hasattr(field, "verbose_name") or isinstance(field.verbose_name, Promise)


def test_states_keep_their_colour_and_lists_their_name_in_both_languages(boss: Client) -> None:
    notes.note(UserFactory.create())
    order = VoucherOrderFactory.create(status="paid")
    pages = (
        ("/admin/blog/note/", {"en": ("published", "Notes"), "zh-hans": ("已发布", "笔记")}),
        (
            f"/admin/coupons/voucherorder/{order.pk}/change/",
            {"en": ("to use", str(order.pk)), "zh-hans": ("待使用", str(order.pk))},
        ),
    )
    for path, words in pages:
        for language, (state, name) in words.items():
            page = markup.compact(boss.get(path, headers={"Accept-Language": language}).content)
            badge = rf'<span class="[^"]*bg-green-100[^"]*"[^>]*>\s*{state}'
            assert re.search(badge, page, re.IGNORECASE), page
            assert f"<title>{name} | " in page


def test_an_empty_list_says_what_that_means_and_selections_name_their_rows(boss: Client) -> None:
    ShopFactory.create()
    for language, words in (("en", "Nobody has claimed a shop."), ("zh-hans", "还没有人认领商户。")):
        page = boss.get("/admin/shops/shopclaim/", headers={"Accept-Language": language})
        assert words in page.content.decode()
    page = boss.get("/admin/shops/shop/", headers={"Accept-Language": "zh-hans"})
    assert "删除所选商户" in page.content.decode()
