"""Lists and details that everybody gets alike are kept for seconds, and not sent twice."""

import pytest
from django.test import Client

from apps.shops.models import ShopType
from tests.api_document import read_document
from tests.factories import ShopFactory

pytestmark = pytest.mark.django_db


def test_a_public_list_is_kept_for_seconds_and_not_sent_twice(client: Client) -> None:
    ShopFactory.create()
    first = client.get("/api/shop-types")
    assert (first.status_code, first["Cache-Control"]) == (200, "public, max-age=10")
    again = client.get("/api/shop-types", headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert (again["ETag"], again["Cache-Control"]) == (first["ETag"], "public, max-age=10")

    ShopType.objects.update(name_en="Something else")
    changed = client.get("/api/shop-types", headers={"if-none-match": first["ETag"]})
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]


def test_a_browser_keeps_a_public_answer_to_itself(client: Client) -> None:
    client.cookies["django_language"] = "zh-hans"
    answer = client.get("/api/shop-types")
    assert answer["Cache-Control"] == "private, max-age=10"
    assert "Accept-Language" in answer["Vary"]


def test_a_refusal_is_kept_by_nobody(client: Client) -> None:
    for path in ("/api/shops/999999", "/api/shops?size_=1"):
        answer = client.get(path, headers={"if-none-match": "*"})
        assert (answer.status_code >= 400, answer["Cache-Control"]) == (True, "private, no-store")


def test_a_long_public_answer_is_compressed(client: Client) -> None:
    ShopType.objects.all().delete()
    ShopType.objects.bulk_create(
        ShopType(slug=f"type-{number}", name_en=f"Type {number}", icon="bar") for number in range(40)
    )
    answer = client.get("/api/shop-types", headers={"accept-encoding": "gzip"})
    assert (answer["Content-Encoding"], answer["ETag"][:2]) == ("gzip", "W/")


def test_what_depends_on_who_asks_is_not_public() -> None:
    marked = {
        operation["operationId"]
        for methods in read_document()["paths"].values()
        for operation in methods.values()
        if "304" in operation["responses"]
    }
    assert {"listShops", "getShop", "listShopVouchers"} <= marked
    assert not marked & {"getMe", "listHotNotes", "listMyOrders", "getNote"}
