"""Valid shops to bend; a test names only what it is about."""

from typing import Any

from django.db import connection

from apps.shops import changes
from apps.shops.geo import rebuilding
from apps.shops.models import Shop, ShopType

#: Broken Bridge, West Lake.
LAT, LNG = 30.2590, 120.1480
#: Degrees of latitude in a metre.
METRE = 1 / 111_226.3


def shop_type(slug: str = "food") -> ShopType:
    made, _ = ShopType.objects.get_or_create(
        slug=slug,
        defaults={"name_en": slug.title(), "name_zh": "美食", "icon": slug, "has_dishes": slug == "food"},
    )
    return made


def shop(name: str = "Lakeside Noodle House", *, type: str = "food", **fields: Any) -> Shop:  # noqa: A002
    made = Shop(**_fields(name, type, fields))
    changes.save(made)
    return made


def shops(count: int, *, type: str = "food", **fields: Any) -> list[Shop]:  # noqa: A002
    """`count` shops, each 10 m further north, unless the fields say otherwise."""
    made = [
        Shop(**_fields(f"Shop {number}", type, {"lat": LAT + 10 * number * METRE} | fields))
        for number in range(count)
    ]
    return changes.create_many(made)


def _fields(name: str, slug: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": shop_type(slug),
        "name_en": name,
        "city_en": "Hangzhou",
        "area_en": "West Lake",
        "address_en": "8 Nanshan Road",
        "phone": "0571-8700 0001",
        "hours_en": "11:00–22:00",
        "lat": LAT,
        "lng": LNG,
        "price": 8_800,
        "rating": 45,
        "reviews": 120,
        "imported_rating": 45,
        "popularity": 900,
    } | fields


def run_on_commit() -> None:
    """Run what waits for this test's commit, which never comes."""
    waiting, connection.run_on_commit = connection.run_on_commit, []
    for entry in waiting:
        entry[1]()


def commit_and_index() -> None:
    """Everything made so far is committed, and the index complete."""
    run_on_commit()
    rebuilding.rebuild()
