import re
from typing import Any

from django.db import migrations, models

SPAN = re.compile(r"(\d{1,2}):(\d{2})\s*[-–~]\s*(\d{1,2}):(\d{2})")
ALL_DAY = {"24 hours", "24h", "24/7", "24小时", "全天"}
DAY_MINUTES, MAX_SPANS, BATCH_SHOPS = 1_440, 3, 2_000
COLUMNS = [f"{side}_{number}" for number in range(1, MAX_SPANS + 1) for side in ("opens", "closes")]


def fill_spans(apps: Any, _editor: Any) -> None:
    """Parse the hours of all shops, a batch at a time."""
    shops, last = apps.get_model("shops", "Shop").objects.order_by("pk"), 0
    while batch := list(shops.filter(pk__gt=last).only("hours_en", "hours_zh")[:BATCH_SHOPS]):
        last = batch[-1].pk
        for shop in batch:
            spans = _parse(shop.hours_en or shop.hours_zh)
            minutes = [minute for span in spans for minute in span]
            for column, minute in zip(COLUMNS, minutes, strict=False):
                setattr(shop, column, minute)
        shops.bulk_update(batch, COLUMNS, batch_size=200)


def _parse(hours: str) -> list[tuple[int, int]]:
    """As shops.opening_hours did when this was written."""
    if hours.strip().lower() in ALL_DAY:
        return [(0, DAY_MINUTES)]
    spans = []
    for opens_hour, opens_minute, closes_hour, closes_minute in SPAN.findall(hours):
        opens, closes = 60 * int(opens_hour) + int(opens_minute), 60 * int(closes_hour) + int(closes_minute)
        if int(opens_minute) < 60 and int(closes_minute) < 60:
            spans.append((opens, closes if closes > opens else closes + DAY_MINUTES))
    return spans[:MAX_SPANS]


class Migration(migrations.Migration):
    dependencies = [("shops", "0005_shop_members")]

    operations = [
        *(
            migrations.AddField(
                "shop", column, models.PositiveSmallIntegerField(editable=False, null=True)
            )
            for column in COLUMNS
        ),
        migrations.AddField("shop", "vouchers_until", models.DateTimeField(editable=False, null=True)),
        migrations.AddIndex(
            "shop",
            models.Index(
                condition=models.Q(("vouchers_until__isnull", False)),
                fields=["vouchers_until"],
                name="shops_with_vouchers",
            ),
        ),
        migrations.RunPython(fill_spans, migrations.RunPython.noop),
    ]
