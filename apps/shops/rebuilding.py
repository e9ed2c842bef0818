"""The whole GEO index from SQL: filled beside the old one in bounded memory, then swapped."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from apps.redis_kit import client
from apps.shops import geo, keys
from apps.shops.models import Shop, ShopType

Progress = Callable[[int, int], object]

BATCH = 2000
COLUMNS = ("id", "type_id", "lat", "lng", "rating", "popularity", "price", "is_listed", "updated_at")
#: What a rebuild that died leaves behind goes away by itself.
ABANDONED_AFTER = timedelta(hours=1)
#: Clocks of web servers and of a transaction still open when the rebuild began.
SLACK = timedelta(seconds=10)


def rebuild(progress: Progress | None = None) -> int:
    """Number of listed shops written; readers see the old index until the new one is complete."""
    began, build = timezone.now(), secrets.token_hex(4)
    total, done, listed = Shop.objects.count(), 0, 0
    for shops in geo.batches(_rows(), BATCH):
        listed += _write(shops, build)
        done += len(shops)
        if progress:
            progress(done, max(total, done))
    _swap(build, listed)
    _catch_up(began - SLACK)
    return listed


def heal() -> bool:
    """Rebuild when the index is missing or holds another number of shops than SQL; whether it did."""
    redis, listed = client.get(), Shop.objects.open_to_public().on_map().count()
    if redis.exists(keys.COMPLETE()) and redis.zcard(keys.GEO(type=keys.ALL)) == listed:
        return False
    rebuild()
    return True


def _rows() -> Iterator[Shop]:
    # Keyset slices: an iterator over one long query would hold a read transaction open on SQLite.
    last = 0
    rows = Shop.objects.only(*COLUMNS).order_by("pk")
    while found := list(rows.filter(pk__gt=last)[:BATCH]):
        yield from found
        last = found[-1].pk


def _write(shops: Sequence[Shop], build: str) -> int:
    """Queue a batch for the new index; how many of it are listed."""
    listed = [shop for shop in shops if shop.is_listed and geo.on_map(shop)]
    places: dict[int, list[float | int]] = {}
    for shop in listed:
        for index in (keys.ALL, shop.type_id):
            places.setdefault(index, []).extend((shop.lng, shop.lat, shop.pk))
    with client.get().pipeline(transaction=False) as pipe:
        for index, flat in places.items():
            pipe.geoadd(keys.NEXT_GEO(build=build, type=index), flat)
            pipe.expire(keys.NEXT_GEO(build=build, type=index), ABANDONED_AFTER)
        pipe.hset(keys.NEXT_FACTS(build=build), mapping={str(shop.pk): geo.facts(shop) for shop in shops})
        pipe.expire(keys.NEXT_FACTS(build=build), ABANDONED_AFTER)
        pipe.execute()
    return len(listed)


def _swap(build: str, listed: int) -> None:
    pairs = [(keys.NEXT_FACTS(build=build), keys.FACTS())]
    for index in [keys.ALL, *ShopType.objects.values_list("pk", flat=True)]:
        pairs.append((keys.NEXT_GEO(build=build, type=index), keys.GEO(type=index)))
    redis = client.get()
    filled = [redis.exists(made) for made, _ in pairs]
    with redis.pipeline(transaction=True) as pipe:
        for (made, live), exists in zip(pairs, filled, strict=True):
            if exists:
                pipe.rename(made, live)
                pipe.persist(live)
            else:
                pipe.delete(live)
        pipe.set(keys.COMPLETE(), listed)
        pipe.execute()


def _catch_up(since: datetime) -> None:
    """What changed while the rebuild was reading: edits by their time, deletions by the list of the gone."""
    gone = [int(shop_id) for shop_id in client.get().smembers(keys.GONE())]
    edited = Shop.objects.filter(updated_at__gte=since).values_list("pk", flat=True)
    for some in geo.batches(gone, BATCH):
        geo.drop(some)
    for some in geo.batches(edited.iterator(), BATCH):
        geo.sync(some)
