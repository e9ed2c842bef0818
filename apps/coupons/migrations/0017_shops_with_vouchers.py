from datetime import UTC, datetime
from typing import Any

from django.db import migrations
from django.db.models import Max, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

BATCH_SHOPS = 500
WITHOUT_END = datetime(2100, 1, 1, tzinfo=UTC)


def fill_ends(apps: Any, _editor: Any) -> None:
    """Store with each shop until when it has a voucher, a batch at a time."""
    shops, vouchers = apps.get_model("shops", "Shop").objects, apps.get_model("coupons", "Voucher").objects
    lasting = Q(sale=None) | Q(sale__ends_at__gt=timezone.now())
    rows = vouchers.filter(lasting, is_offered=True).order_by().values("shop_id")
    ends = dict(rows.annotate(end=Max(Coalesce("sale__ends_at", WITHOUT_END))).values_list("shop_id", "end"))
    ids = list(ends)
    for start in range(0, len(ids), BATCH_SHOPS):
        batch = list(shops.filter(pk__in=ids[start : start + BATCH_SHOPS]).only("pk"))
        for shop in batch:
            shop.vouchers_until = ends[shop.pk]
        shops.bulk_update(batch, ["vouchers_until"])


class Migration(migrations.Migration):
    dependencies = [("coupons", "0016_voucher_picture"), ("shops", "0006_filters")]

    operations = [migrations.RunPython(fill_ends, migrations.RunPython.noop)]
