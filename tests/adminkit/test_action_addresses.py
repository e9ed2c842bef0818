"""Addresses of the admin about one row: an id that no row has, or that is none, is never a 500."""

import re
from urllib.parse import quote

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import get_resolver

pytestmark = pytest.mark.django_db

#: A pattern with the id of a row and what is done to it; Django checks the id of its own.
ROW = re.compile(r"<path:object_id>/(?!change|delete|history)[\w-]+/$")
IDS = ("999999999", "9223372036854775808", "x", "a\x00b")
EXPECTED = {200, 302, 400, 403, 404}
#: A confirmed dialog, and the form of the one that asks for more.
CONFIRMED = {"_form_submitted": "True", "amount": "1", "note": "x"}


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
    addresses = [path.format(quote(row_id, safe="")) for path in row_paths() for row_id in IDS]
    assert addresses
    # What a view raises is an answer 500 here.
    boss.raise_request_exception = False
    answers = {}
    for address in addresses:
        answers["GET", address] = boss.get(address).status_code
        answers["POST", address] = boss.post(address, CONFIRMED).status_code
    assert not {asked: status for asked, status in answers.items() if status not in EXPECTED}
