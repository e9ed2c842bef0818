"""Addresses in the admin of rows that can't be: each of its pages answers, and none breaks."""

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

pytestmark = pytest.mark.django_db
IDS = (
    "0",
    pytest.param(str(2**63), marks=pytest.mark.both_databases),
    pytest.param("%00", marks=pytest.mark.both_databases),
    # Each is refused as one of the others is.
    *(pytest.param(each, marks=pytest.mark.long) for each in (str(2**200), "-1", "x", "_5F")),
)


@pytest.mark.parametrize("row_id", IDS)
def test_a_row_past_the_end_is_not_there(boss: Client, row_id: str) -> None:
    for model in admin.site._registry:
        place = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        for page in ("change", "history", "delete"):
            answer = boss.get(reverse(f"{place}_{page}", args=["0"]).replace("/0/", f"/{row_id}/"))
            assert answer.status_code in {302, 400, 403, 404}, (place, page)
