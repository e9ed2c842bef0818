"""No value in an address or a form of any admin is a 500: of its lists, its filters, its blank forms."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from django.contrib import admin
from django.db.models import ForeignKey, Model
from django.test import Client, RequestFactory
from django.urls import NoReverseMatch, get_resolver, reverse

from apps.accounts.models import User
from apps.adminkit import bad_lookups

pytestmark = pytest.mark.django_db
VALUES = (
    *("9223372036854775808", "-9223372036854775809", "9" * 5_000, "${7*7}", "x", "", "²", "\x1b[2J"),
    *("\ud800", "1e400", "NaN", "1,x", "99999-99-99", "0000-00-00 25:61", "'", "[]", '{"a": 1}'),
)
#: What a database refuses of numbers and of texts, and a moment before the first of all in UTC.
WORST = ("9223372036854775808", "${7*7}", "0001-01-01T00:00:00+08:00")
# All of them cost half a minute.
EACH_LENGTH = pytest.mark.parametrize(
    "values", [pytest.param(WORST, id="worst"), pytest.param(VALUES, id="all", marks=pytest.mark.wide)]
)
EXPECTED = {200, 302, 400, 403, 404}

IDS = (
    "0",
    pytest.param(str(2**63), marks=pytest.mark.both_databases),
    pytest.param("%00", marks=pytest.mark.both_databases),
    # Each is refused as one of the others is.
    *(pytest.param(each, marks=pytest.mark.long) for each in (str(2**200), "-1", "x", "_5F")),
)
#: A pattern with the id of a row and what is done to it; Django checks the id of its own.
ROW = re.compile(r"<path:object_id>/(?!change|delete|history)[\w-]+/$")
ODD_IDS = ("999999999", "9223372036854775808", "x", "a\x00b")
#: A confirmed dialog, and the form of the one that asks for more.
CONFIRMED = {"_form_submitted": "True", "amount": "1", "note": "x"}


@pytest.fixture
def no_menu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the menu out of pages, of which there are thousands: no value gets into it."""
    monkeypatch.setattr(admin.site, "get_sidebar_list", lambda request: [])


def admins() -> list[type[Model]]:
    return sorted(admin.site._registry, key=lambda model: model._meta.label)


def page(model: type[Model], name: str) -> str | None:
    try:
        return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}")
    except NoReverseMatch:
        return None


def list_parameters(model: type[Model], user: User) -> Iterator[str]:
    """What a list's address may name: its fields and their look-ups, those of its filters, Django's own."""
    shown = admin.site._registry[model]
    for field in model._meta.concrete_fields:
        yield f"{field.attname}__in"
        if isinstance(field, ForeignKey):
            yield f"{field.name}__{field.target_field.name}__exact"
    request: Any = RequestFactory().get("/")
    request.user = user
    for each in shown.get_list_filter(request):
        name = each[0] if isinstance(each, tuple) else each
        parameter = name if isinstance(name, str) else getattr(name, "parameter_name", "")
        yield from (f"{parameter}{suffix}" for suffix in ("", "__exact", "_from", "_to", "_from_0", "_to_1"))
    yield from ("q", "o", "p", "all", "e", "_facets", "_popup", "_to_field")


def failures(boss: Client, asked: list[tuple[str, dict[str, str]]]) -> dict[str, int]:
    # What a view raises is an answer 500 here.
    boss.raise_request_exception = False
    statuses = {}
    for path, query in asked:
        address = f"{path}?{urlencode(query, errors='surrogatepass')}"
        statuses[address[:300]] = boss.get(address).status_code
    return {address: status for address, status in statuses.items() if status not in EXPECTED}


@EACH_LENGTH
@pytest.mark.usefixtures("no_menu")
def test_a_blank_form_takes_no_value_for_a_row(boss: Client, values: tuple[str, ...]) -> None:
    asked = []
    for model in admins():
        path = page(model, "add")
        names = [field.name for field in (*model._meta.fields, *model._meta.many_to_many)]
        asked += [(path, dict.fromkeys(names, value)) for value in values if path]
    assert not failures(boss, asked)


@pytest.mark.wide
@pytest.mark.both_databases
@pytest.mark.usefixtures("no_menu")
@pytest.mark.parametrize("model", admins(), ids=lambda model: model._meta.label)
def test_a_list_takes_any_value_of_any_parameter(boss: Client, manager: User, model: type[Model]) -> None:
    path = page(model, "changelist")
    assert path
    parameters = dict.fromkeys(list_parameters(model, manager))
    asked = [(path, {name: value}) for name in parameters for value in WORST]
    assert not failures(boss, asked)


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/admin/coupons/voucher/add/", {"shop": "${7*7}"}),
        ("/admin/coupons/flashsale/new-flash-sale/", {"shop": "${7*7}", "copy": "${7*7}"}),
        ("/admin/accounts/user/", {"id__in": "9223372036854775808"}),
        ("/admin/shops/shop/", {"id__in": "9223372036854775808,1"}),
    ],
)
def test_what_was_a_500_is_none(boss: Client, path: str, query: dict[str, str]) -> None:
    assert not failures(boss, [(path, query)])


@EACH_LENGTH
def test_pages_of_the_admin_s_own_take_any_value(boss: Client, values: tuple[str, ...]) -> None:
    names = [f"monitoring:{name}" for name in ("activity", "slowest", "log", "redis", "rebuilds")]
    paths = [
        reverse(name) for name in (*names, "logship:visits", "backoffice:visitors", "admin:autocomplete")
    ]
    fields = ("days", "from", "to", "sort", "page", "term", "app_label", "model_name", "field_name", "kind")
    assert not failures(boss, [(path, dict.fromkeys(fields, value)) for path in paths for value in values])


def test_another_bug_stays_a_bug() -> None:
    with pytest.raises(ValueError, match="invalid literal") as ours:
        int("x")
    assert not bad_lookups.is_bad_lookup(ours.value)
    with pytest.raises(ValueError, match="expected a number") as theirs:
        User.objects.filter(pk="${7*7}").exists()
    assert bad_lookups.is_bad_lookup(theirs.value)


@pytest.mark.parametrize("row_id", IDS)
def test_a_row_past_the_end_is_not_there(boss: Client, row_id: str) -> None:
    for model in admin.site._registry:
        place = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        for page in ("change", "history", "delete"):
            answer = boss.get(reverse(f"{place}_{page}", args=["0"]).replace("/0/", f"/{row_id}/"))
            assert answer.status_code in {302, 400, 403, 404}, (place, page)


def row_paths() -> list[str]:
    """The addresses that the admin has for one row, with {} for its id."""
    found = []
    # They name converters that the site's own addresses register.
    get_resolver().url_patterns  # noqa: B018
    for model, shown in admin.site._registry.items():
        place = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        patterns = [str(each.pattern) for each in shown.get_urls()]
        found += [place + each.replace("<path:object_id>", "{}") for each in patterns if ROW.match(each)]
    return found


def test_no_row_is_no_error(boss: Client) -> None:
    addresses = [path.format(quote(row_id, safe="")) for path in row_paths() for row_id in ODD_IDS]
    assert addresses
    # What a view raises is an answer 500 here.
    boss.raise_request_exception = False
    answers = {}
    for address in addresses:
        answers["GET", address] = boss.get(address).status_code
        answers["POST", address] = boss.post(address, CONFIRMED).status_code
    assert not {asked: status for asked, status in answers.items() if status not in EXPECTED}
