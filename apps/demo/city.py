"""Seeds the demo city in SQL and Redis: people, shops, vouchers, sales, payments, notes and visits."""

from collections.abc import Callable
from dataclasses import dataclass

from apps.coupons.catalog import findable_sales
from apps.demo import people, sales, shops, staff, vouchers
from apps.demo.ads import rows as ads
from apps.demo.messages import chats, notifications
from apps.demo.orders import customer, history, payments
from apps.demo.social import check_ins, follow_graph, notes, reports, saves, searches
from apps.demo.social.notes import ReportProgress
from apps.demo.traffic import activity, visits
from apps.rankings import rankings
from apps.redis_kit import client
from apps.search.index import generations as search_generations
from apps.search.index import rebuilding as search_rebuilding
from apps.shops import keys
from apps.shops.geo import rebuilding
from apps.shops.models import Shop

DEFAULT_SHOPS = 480
DEFAULT_SEED = 20_260_401


@dataclass(frozen=True)
class SeedCounts:
    """The number of new objects of each kind that a seeding made."""

    people: int
    shops: int
    vouchers: int
    sales: int
    orders: int
    payments: int
    follows: int
    notes: int
    likes: int
    comments: int
    check_ins: int
    messages: int
    visits: int
    ads: int
    reports: int


def seed_city(
    count: int = DEFAULT_SHOPS, *, seed: int = DEFAULT_SEED, progress: ReportProgress
) -> SeedCounts:
    """Complete the city to `count` shops and return what is new; existing data stays, so a rerun is safe."""
    new_people = people.make(seed)
    new_shops = shops.make(count, seed=seed, step=_count_shops(progress, count))
    new_vouchers = vouchers.make(count, seed=seed)
    new_follows = follow_graph.make(seed=seed)
    counts = notes.make(count, seed=seed, progress=progress)
    new_check_ins = check_ins.make(seed=seed)
    if new_shops or not _is_indexed():
        rebuilding.rebuild(lambda read, total: progress("Index", read, total))
    new_orders, new_sales = _sell(seed, update=new_vouchers > 0)
    new_ads = ads.make(seed=seed)
    new_payments, new_visits, new_messages = payments.make(), visits.make(seed=seed), chats.make()
    _make_uncounted(seed)
    new_reports = reports.make()
    # After everything that people are made for: all of them are found by name.
    if new_shops or new_people or counts.notes or new_sales or search_generations.list_missing():
        search_rebuilding.rebuild(lambda read, total: progress("Search", read, total))
    return SeedCounts(
        people=new_people,
        shops=new_shops,
        vouchers=new_vouchers,
        sales=new_sales,
        orders=new_orders,
        payments=new_payments,
        follows=new_follows,
        notes=counts.notes,
        likes=counts.likes,
        comments=counts.comments,
        check_ins=new_check_ins,
        messages=new_messages,
        visits=new_visits,
        ads=new_ads,
        reports=new_reports,
    )


def _count_shops(progress: ReportProgress, total: int) -> Callable[[int], None]:
    """A function that reports shops by batch: it adds up how many there are."""
    done = 0

    def step(batch: int) -> None:
        nonlocal done
        done += batch
        progress("Shops", done, total)

    return step


def _sell(seed: int, *, update: bool) -> tuple[int, int]:
    """Make orders and flash sales; shops with new vouchers are marked when `update` or a sale is new."""
    new_orders, new_sales = history.make(seed=seed) + customer.make(), sales.make()
    history.remember_guests()
    if update or new_sales:
        findable_sales.update_all()
    return new_orders, new_sales


def _make_uncounted(seed: int) -> None:
    """Make what no count tells of: charts, notifications, saves, searches of this week and rankings."""
    staff.make()
    activity.make(seed=seed)
    notifications.make()
    searches.make()
    saves.make(seed=seed)
    rankings.make()


def _is_indexed() -> bool:
    indexed = client.get().zcard(keys.GEO(type=keys.ALL_TYPES))
    return (
        bool(client.get().exists(keys.INDEX_COMPLETE())) and indexed == Shop.objects.open_to_public().count()
    )
