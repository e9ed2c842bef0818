import re
from typing import Any

from django.db import migrations, models

#: "Third Floor Hot Pot 三楼火锅": an English name with its Chinese one after it, which begins at a Chinese
#: character or is the first word that contains one ("KTV" of "量贩KTV" stays with its word).
BOTH_NAMES = re.compile(r"(?P<english>[^\u3400-\u9fff]*\S)\s+(?P<chinese>\S*[\u3400-\u9fff].*)")
CITY_NAMES = {"Hangzhou": "杭州", "Shanghai": "上海"}
HAN = re.compile("[\u3400-\u9fff]")
BATCH_SHOPS = 2_000
TEXTS = ("name", "about", "city", "area", "address", "hours")
COLUMNS = [f"{name}_{end}" for name in TEXTS for end in ("en", "zh")]


def move_texts(apps: Any, _editor: Any) -> None:
    """Split names that hold both languages; move a text that is in Chinese to the Chinese column."""
    shops, batch = apps.get_model("shops", "Shop").objects, []
    for shop in shops.only(*COLUMNS).iterator(BATCH_SHOPS):
        _sort_texts(shop)
        batch.append(shop)
        if len(batch) == BATCH_SHOPS:
            shops.bulk_update(batch, COLUMNS, batch_size=200)
            batch = []
    shops.bulk_update(batch, COLUMNS, batch_size=200)


def _sort_texts(shop: Any) -> None:
    if both := BOTH_NAMES.fullmatch(shop.name_en):
        shop.name_en, shop.name_zh = both["english"], both["chinese"]
    for name in TEXTS:
        english = getattr(shop, f"{name}_en")
        if HAN.search(english) and not getattr(shop, f"{name}_zh"):
            setattr(shop, f"{name}_zh", english)
            setattr(shop, f"{name}_en", "")
    if shop.city_en in CITY_NAMES:
        shop.city_zh = CITY_NAMES[shop.city_en]


def join_texts(apps: Any, _editor: Any) -> None:
    """The way back: one column again, in English where there is English."""
    for shop in apps.get_model("shops", "Shop").objects.only(*COLUMNS).iterator(BATCH_SHOPS):
        for name in TEXTS:
            setattr(shop, f"{name}_en", getattr(shop, f"{name}_en") or getattr(shop, f"{name}_zh"))
        shop.save(update_fields=COLUMNS)


def _pair(
    model: str, name: str, english: models.Field[Any, Any], chinese: models.Field[Any, Any]
) -> list[Any]:
    return [
        migrations.RenameField(model, name, f"{name}_en"),
        migrations.AlterField(model, f"{name}_en", english),
        migrations.AddField(model, f"{name}_zh", chinese),
    ]


def _line(label: str, length: int) -> models.CharField[Any, Any]:
    return models.CharField(blank=True, max_length=length, verbose_name=label)


class Migration(migrations.Migration):
    dependencies = [("shops", "0002_imported_ratings")]

    operations = [
        migrations.RenameField("shoptype", "name", "name_en"),
        migrations.AlterField(
            "shoptype", "name_en", models.CharField(max_length=32, verbose_name="English name")
        ),
        *_pair("shop", "name", _line("English name", 80), _line("Chinese name", 80)),
        *_pair(
            "shop",
            "about",
            models.TextField(blank=True, max_length=2000, verbose_name="about, in English"),
            models.TextField(blank=True, max_length=2000, verbose_name="about, in Chinese"),
        ),
        *_pair("shop", "city", _line("city, in English", 50), _line("city, in Chinese", 50)),
        *_pair("shop", "area", _line("area, in English", 80), _line("area, in Chinese", 80)),
        *_pair("shop", "address", _line("address, in English", 200), _line("address, in Chinese", 200)),
        *_pair("shop", "hours", _line("opening hours, in English", 80), _line("opening hours, in Chinese", 80)),
        migrations.RunPython(move_texts, join_texts),
    ]
