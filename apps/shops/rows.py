"""The rows of a list of shops, by plain SQL: the ORM's query and a type a row took half of a page's time."""

from collections.abc import Sequence

from django.db import connection

from apps.shops.models import Shop, ShopType

#: What a card, a pin and the API's list show; another field of such a shop costs a query when it is touched.
FIELDS = (
    *("id", "type_id", "name", "city", "area", "address", "hours", "lng", "lat", "price", "currency"),
    *("rating", "reviews", "popularity", "picture"),
)
TYPE_FIELDS = ("id", "slug", "name", "name_zh", "icon", "position")
_COLUMNS = ", ".join([*(f"shop.{name}" for name in FIELDS), *(f"kind.{name}" for name in TYPE_FIELDS)])
_TABLES = f"{Shop._meta.db_table} shop JOIN {ShopType._meta.db_table} kind ON kind.id = shop.type_id"


def listed(shop_ids: Sequence[int]) -> dict[int, Shop]:
    """The listed ones of these shops by id, each with its type: one query."""
    if not shop_ids:
        return {}
    marks = ", ".join(["%s"] * len(shop_ids))
    # Only names of this file are in the text.
    query = f"SELECT {_COLUMNS} FROM {_TABLES} WHERE shop.is_listed AND shop.id IN ({marks})"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(query, shop_ids)
        found = cursor.fetchall()
    kinds = {row[1]: row[len(FIELDS) :] for row in found}
    types = {key: ShopType.from_db(connection.alias, TYPE_FIELDS, kind) for key, kind in kinds.items()}
    shops = {row[0]: Shop.from_db(connection.alias, FIELDS, row[: len(FIELDS)]) for row in found}
    for shop in shops.values():
        shop.type = types[shop.type_id]
    return shops
