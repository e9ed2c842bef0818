"""Valid shops to bend; a test names only what it is about."""

from collections.abc import Iterable
from typing import Any

from django.db import connection

from apps.shops import changes
from apps.shops.geo import rebuilding
from apps.shops.models import Shop, ShopType
from tests.factories import ShopFactory, ShopTypeFactory
from tests.factories.shops import LAT as LAT
from tests.factories.shops import LNG as LNG

#: Degrees of latitude in a metre.
METRE = 1 / 111_226.3


def shop_type(slug: str = "food") -> ShopType:
    return ShopTypeFactory.create(slug=slug)


def shop(name: str = "Lakeside Noodle House", *, type: str = "food", **fields: Any) -> Shop:  # noqa: A002
    """A shop that is indexed once the test commits."""
    made = ShopFactory.build(**{"name_en": name, "type": shop_type(type)} | fields)
    changes.save(made)
    return made


def shops(count: int, *, type: str = "food", **fields: Any) -> list[Shop]:  # noqa: A002
    """`count` shops, each 10 m further north, unless the fields say otherwise."""
    return shops_of(({"lat": LAT + 10 * number * METRE} | fields for number in range(count)), type=type)


def shops_of(rows: Iterable[dict[str, Any]], *, type: str = "food") -> list[Shop]:  # noqa: A002
    """A shop for each row of fields, written together: many times cheaper than one by one."""
    kind = shop_type(type)
    return changes.create_many(
        [
            ShopFactory.build(**{"name_en": f"Shop {number}", "type": kind} | fields)
            for number, fields in enumerate(rows)
        ]
    )


def run_on_commit() -> None:
    """Run what waits for this test's commit, which never comes."""
    waiting, connection.run_on_commit = connection.run_on_commit, []
    for entry in waiting:
        entry[1]()


def commit_and_index() -> None:
    """Everything made so far is committed, and the index complete."""
    run_on_commit()
    rebuilding.rebuild()
