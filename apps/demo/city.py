"""The demo city: types, shops, people, vouchers, sales, and the index of shops in Redis."""

from collections.abc import Callable
from dataclasses import dataclass

from apps.demo import people, sales, shops, vouchers
from apps.redis_kit import client
from apps.shops import keys, rebuilding
from apps.shops.models import Shop

SHOPS = 480
SEED = 20_260_401
#: (what is being made, how many are done, of how many)
Progress = Callable[[str, int, int], object]


@dataclass(frozen=True)
class Made:
    """How many of each are new."""

    people: int
    shops: int
    vouchers: int
    sales: int


def seed(count: int = SHOPS, *, seed: int = SEED, progress: Progress) -> Made:
    """Bring the city to `count` shops; what is there stays, so a run after a cut-off one completes it."""
    done = 0

    def shops_step(batch: int) -> None:
        nonlocal done
        done += batch
        progress("Shops", done, count)

    new_people = people.make(seed)
    new_shops = shops.make(count, seed=seed, step=shops_step)
    new_vouchers = vouchers.make(count, seed=seed)
    if new_shops or not _is_indexed():
        rebuilding.rebuild(lambda read, total: progress("Index", read, total))
    new_sales = sales.make()
    return Made(new_people, new_shops, new_vouchers, new_sales)


def _is_indexed() -> bool:
    indexed = client.get().zcard(keys.GEO(type=keys.ALL))
    return bool(client.get().exists(keys.COMPLETE())) and indexed == Shop.objects.open_to_public().count()
