from typing import Any

from django.db import migrations
from django.db.models.functions import Coalesce

BATCH_ROWS = 1_000


def remember_guests(apps: Any, _editor: Any) -> None:
    """Have a row of each person who has used a coupon at a shop."""
    guests = apps.get_model("shops", "ShopGuest").objects
    used = apps.get_model("coupons", "VoucherOrder").objects.filter(status="used").order_by()
    pairs = used.values_list("voucher__shop", Coalesce("holder", "user")).distinct()
    rows = (guests.model(shop_id=shop_id, user_id=user_id) for shop_id, user_id in pairs.iterator())
    guests.bulk_create(rows, batch_size=BATCH_ROWS, ignore_conflicts=True)


class Migration(migrations.Migration):
    dependencies = [("coupons", "0030_streak_days_of_sales"), ("shops", "0014_guests")]

    operations = [migrations.RunPython(remember_guests, migrations.RunPython.noop)]
