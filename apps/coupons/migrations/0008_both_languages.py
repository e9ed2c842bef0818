import re
from typing import Any

from django.db import migrations, models

HAN = re.compile("[\u3400-\u9fff]")
BATCH_VOUCHERS = 2_000
TEXTS = ("title", "subtitle", "rules")
COLUMNS = [f"{name}_{end}" for name in TEXTS for end in ("en", "zh")]


def move_texts(apps: Any, _editor: Any) -> None:
    """Move a text that is in Chinese to the Chinese column."""
    vouchers = apps.get_model("coupons", "Voucher").objects
    for voucher in vouchers.only(*COLUMNS).iterator(BATCH_VOUCHERS):
        chinese = [name for name in TEXTS if HAN.search(getattr(voucher, f"{name}_en"))]
        for name in chinese:
            setattr(voucher, f"{name}_zh", getattr(voucher, f"{name}_en"))
            setattr(voucher, f"{name}_en", "")
        if chinese:
            voucher.save(update_fields=COLUMNS)


def join_texts(apps: Any, _editor: Any) -> None:
    """The way back: one column again, in English where there is English."""
    for voucher in apps.get_model("coupons", "Voucher").objects.only(*COLUMNS).iterator(BATCH_VOUCHERS):
        for name in TEXTS:
            both = (getattr(voucher, f"{name}_{end}") for end in ("en", "zh"))
            setattr(voucher, f"{name}_en", next(filter(None, both), ""))
        voucher.save(update_fields=COLUMNS)


def _pair(name: str, english: models.Field[Any, Any], chinese: models.Field[Any, Any]) -> list[Any]:
    return [
        migrations.RenameField("voucher", name, f"{name}_en"),
        migrations.AlterField("voucher", f"{name}_en", english),
        migrations.AddField("voucher", f"{name}_zh", chinese),
    ]


def _line(label: str, length: int) -> models.CharField[Any, Any]:
    return models.CharField(blank=True, max_length=length, verbose_name=label)


def _lines(label: str) -> models.TextField[Any, Any]:
    return models.TextField(blank=True, max_length=2000, verbose_name=label)


class Migration(migrations.Migration):
    dependencies = [("coupons", "0007_expired_payments")]

    operations = [
        *_pair("title", _line("title, in English", 80), _line("title, in Chinese", 80)),
        *_pair("subtitle", _line("subtitle, in English", 120), _line("subtitle, in Chinese", 120)),
        *_pair("rules", _lines("rules of use, in English"), _lines("rules of use, in Chinese")),
        migrations.RunPython(move_texts, join_texts),
    ]
