"""The verbs that write shops: each saves rows and, after the commit, updates GEO index and cached pages.

A shop written past them shows its old page for up to an hour, and its old place until the next rebuild; lists
of open shops know nothing of its hours.
"""

import logging
from collections.abc import Collection, Iterable, Sequence

from django.db import transaction
from django.utils import timezone

from apps.accounts.pictures import files
from apps.queues import owed
from apps.redis_kit import client
from apps.shops import areas, findable_shops, hours, hours_text, photos, shop_cache, shop_hours
from apps.shops.geo import cities, geo_index, ground
from apps.shops.lists import facets
from apps.shops.members import membership
from apps.shops.models import City, OpenSpan, Shop, ShopPhoto, ShopQuerySet, ShopType
from apps.web import findable, in_language
from apps.web.batches import chunked

log = logging.getLogger(__name__)
#: Shops that one round trip carries.
BATCH_SIZE = 500
#: Columns whose change may change when a shop is open, and those that follow from them.
HOURS_COLUMNS = frozenset({*in_language.columns("hours"), "schedule", "lat", "lng"})
DERIVED_COLUMNS = ("schedule", "nearest_city_id")


def save(shop: Shop, *, update_fields: Iterable[str] | None = None) -> None:
    """Insert or update a shop; with `update_fields` only these columns and `updated_at`."""
    # place_shop.lua orders two writers by `updated_at`.
    columns = None if update_fields is None else {*update_fields, "updated_at"}
    has_hours = columns is None or bool(HOURS_COLUMNS & columns)
    if has_hours:
        _derive_hours(shop)
        columns = columns and columns | set(DERIVED_COLUMNS)
    with transaction.atomic():
        stored = files.lock_stored(shop) if columns is None or "picture" in columns else ""
        shop.save(update_fields=columns)
        if has_hours:
            _write_spans([shop])
        files.delete_after_commit(Shop, stored)
        schedule_reindex([shop.pk], columns)


def create_many(shops: Iterable[Shop]) -> list[Shop]:
    """Insert shops with one statement a batch."""
    with transaction.atomic():
        created = import_many(shops)
        schedule_reindex([shop.pk for shop in created])
    return created


def save_many(shops: Sequence[Shop], columns: Iterable[str]) -> None:
    """Update these columns of many shops with one statement a batch."""
    changed = {*columns, "updated_at"}
    now = timezone.now()
    for shop in shops:
        shop.updated_at = now
    if has_hours := bool(HOURS_COLUMNS & changed):
        for shop in shops:
            _derive_hours(shop)
        changed |= set(DERIVED_COLUMNS)
    with transaction.atomic():
        Shop.objects.bulk_update(shops, sorted(changed), batch_size=BATCH_SIZE)
        if has_hours:
            _write_spans(shops)
        schedule_reindex([shop.pk for shop in shops], changed)


def import_many(shops: Iterable[Shop]) -> list[Shop]:
    """Insert shops without indexing them; the caller ends the import with geo.rebuilding.rebuild()."""
    new = list(shops)
    for shop in new:
        _derive_hours(shop)
    with transaction.atomic():
        created = Shop.objects.bulk_create(new)
        OpenSpan.objects.bulk_create([span for shop in created for span in shop_hours.build_spans(shop)])
    return created


def list_publicly(shops: ShopQuerySet) -> int:
    """Show every shop of a query on the site, but those that need a place first; returns how many."""
    return update(shops.filter(needs_place=False), is_listed=True)


def update(shops: ShopQuerySet, **values: object) -> int:
    """Set columns of every shop of a query; returns how many shops changed."""
    with transaction.atomic():
        shop_ids = list(shops.values_list("pk", flat=True))
        changed = shops.update(**{"updated_at": timezone.now()} | values)
        if HOURS_COLUMNS & set(values):
            _update_hours(shop_ids)
        schedule_reindex(shop_ids, values)
    return changed


def delete(shop: Shop) -> None:
    """Delete a shop; ProtectedError while vouchers or notes name it."""
    shop_id = shop.pk
    with transaction.atomic(), membership.ending([shop_id]):
        photos.delete(shop.photos.all())
        files.delete_after_commit(Shop, shop.picture.name or "")
        shop.delete()
        schedule_reindex([shop_id])


def delete_many(shops: ShopQuerySet) -> int:
    """Delete every shop of a query and return how many there were; ProtectedError as `delete`."""
    with transaction.atomic():
        shop_ids = list(shops.values_list("pk", flat=True))
        photos.delete(ShopPhoto.objects.filter(shop__in=shop_ids))
        for name in shops.exclude(picture="").values_list("picture", flat=True):
            files.delete_after_commit(Shop, name)
        with membership.ending(shop_ids):
            shops.delete()
        schedule_reindex(shop_ids)
    return len(shop_ids)


def save_type(shop_type: ShopType) -> None:
    """Insert or update a type; all cached pages are dropped, since they show their type's name.

    Its shops, and what is about them, are found by its name.
    """
    with transaction.atomic():
        shop_type.save()
        shop_ids = Shop.objects.filter(type=shop_type).values_list("pk", flat=True)
        findable.changed(findable_shops.NAME, *shop_ids, columns=["type"])
        owed.run_after_commit(shop_cache.invalidate_all)


def save_city(city: City) -> None:
    """Insert or update a city; other processes have it within cities.FRESH_SECONDS.

    Shops that are nearer to it than to the other cities open and close by its clock.
    """
    with transaction.atomic():
        city.save()
        _assign_cities()
        owed.run_after_commit(forget_city, city.slug)


def delete_city(city: City) -> None:
    """Delete a city; its shops stay, and lie in the nearest of the others."""
    with transaction.atomic():
        city.delete()
        _assign_cities()
        owed.run_after_commit(forget_city, city.slug)


def schedule_reindex(shop_ids: Sequence[int], columns: Collection[str] | None = None) -> None:
    """Reindex these shops once the current transaction commits; `columns` are those that changed."""
    if shop_ids:
        findable.changed(findable_shops.NAME, *shop_ids, columns=columns)
        owed.run_after_commit(reindex, list(shop_ids))


def reindex(shop_ids: Sequence[int]) -> None:
    """Bring the GEO index and the cached pages of shops in line with SQL.

    While Redis is away this logs and returns: tasks.complete_index repairs the index later.
    """
    for batch in chunked(shop_ids, BATCH_SIZE):
        shop_cache.invalidate(*batch)
        try:
            geo_index.sync(batch)
        except client.UNAVAILABLE:
            log.warning("Redis is away: %d shops wait for the scheduled repair of the index", len(batch))


def forget_city(slug: str) -> None:
    """Drop what was counted within a city's old bounds."""
    cities.forget()
    ground.DISTRICTS.invalidate(slug)
    facets.forget(slug)


def _derive_hours(shop: Shop) -> None:
    """Set the schedule that the shop's words say, if it has some, and the city whose clock it goes by.

    Words without dates leave the exceptions as they are.
    """
    if words := [text for text in (shop.hours_en, shop.hours_zh) if text]:
        written, known = hours_text.read_all(words), hours.load(shop.schedule)
        if written and known and not written.exceptions:
            written = written.with_exceptions(known.exceptions)
        shop.schedule = hours.dump(written) if written else ""
    shop.nearest_city_id = _find_nearest(shop.lat, shop.lng)


def _find_nearest(lat: float, lng: float) -> int | None:
    try:
        return cities.nearest(areas.Point(lat, lng)).pk
    except areas.BadArea:
        return None


def _write_spans(shops: Sequence[Shop]) -> None:
    OpenSpan.objects.filter(shop__in=[shop.pk for shop in shops]).delete()
    OpenSpan.objects.bulk_create([span for shop in shops for span in shop_hours.build_spans(shop)])


def _update_hours(shop_ids: Sequence[int]) -> None:
    for batch in chunked(shop_ids, BATCH_SIZE):
        rows = list(Shop.objects.filter(pk__in=batch))
        for shop in rows:
            _derive_hours(shop)
        Shop.objects.bulk_update(rows, DERIVED_COLUMNS)
        _write_spans(rows)


def _assign_cities() -> None:
    """Have every shop go by the clock of the city that is nearest now."""
    cities.forget()
    changed: dict[int | None, list[int]] = {}
    for shop_id, lat, lng, city_id in Shop.objects.values_list(
        "pk", "lat", "lng", "nearest_city_id"
    ).iterator():
        if (nearest := _find_nearest(lat, lng)) != city_id:
            changed.setdefault(nearest, []).append(shop_id)
    for nearest, shop_ids in changed.items():
        for batch in chunked(shop_ids, BATCH_SIZE):
            Shop.objects.filter(pk__in=batch).update(nearest_city=nearest, updated_at=timezone.now())
            owed.run_after_commit(reindex, list(batch))
