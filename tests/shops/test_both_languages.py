"""The migration that gave texts a column for each language."""

from importlib import import_module
from types import SimpleNamespace

import pytest

migration = import_module("apps.shops.migrations.0003_both_languages")


@pytest.mark.parametrize(
    ("before", "english", "chinese"),
    [
        ("Third Floor Hot Pot 三楼火锅", "Third Floor Hot Pot", "三楼火锅"),
        ("Lakeside Karaoke Rooms 湖畔量贩KTV", "Lakeside Karaoke Rooms", "湖畔量贩KTV"),
        ("Corner KTV (Hubin) 街角KTV", "Corner KTV (Hubin)", "街角KTV"),
        ("三楼火锅", "", "三楼火锅"),
        ("Bone & Balance", "Bone & Balance", ""),
        ("KTV", "KTV", ""),
    ],
)
def test_a_name_of_both_languages_is_split(before: str, english: str, chinese: str) -> None:
    shop = SimpleNamespace(
        **dict.fromkeys(migration.COLUMNS, "") | {"name_en": before, "city_en": "Shanghai"}
    )
    migration._sort_texts(shop)
    assert (shop.name_en, shop.name_zh, shop.city_zh) == (english, chinese, "上海")
