from typing import Any

from django.db import migrations

from apps.shops import areas, hours, hours_text

BATCH_SHOPS = 1_000


def read_hours(apps: Any, _editor: Any) -> None:
    """Read the words of every shop into its schedule; words that aren't understood stay, and the hours unknown."""
    shops, spans = apps.get_model("shops", "Shop").objects, apps.get_model("shops", "OpenSpan").objects
    cities = list(apps.get_model("shops", "City").objects.filter(is_open=True))
    rows, last = shops.order_by("pk").only("hours_en", "hours_zh", "lat", "lng"), 0
    while batch := list(rows.filter(pk__gt=last)[:BATCH_SHOPS]):
        last = batch[-1].pk
        new = []
        for shop in batch:
            found = hours_text.read_all([shop.hours_en, shop.hours_zh])
            shop.schedule = hours.dump(found) if found else ""
            shop.nearest_city_id = find_nearest(cities, shop.lat, shop.lng)
            new += [spans.model(shop_id=shop.pk, **row._asdict()) for row in hours.flatten(found)]
        shops.bulk_update(batch, ["schedule", "nearest_city_id"], batch_size=200)
        spans.bulk_create(new)


def find_nearest(cities: list[Any], lat: float, lng: float) -> int | None:
    """The id of the city whose centre is nearest."""
    try:
        at = areas.Point(lat, lng)
    except areas.BadArea:
        return None
    nearest = min(cities, key=lambda city: at.distance(areas.Point(city.lat, city.lng)), default=None)
    return nearest.pk if nearest else None


class Migration(migrations.Migration):
    dependencies = [("shops", "0012_hours_of_days")]

    operations = [migrations.RunPython(read_hours, migrations.RunPython.noop)]
