"""Runs the measurements of lab.bench.growth for one subject: its table on standard output."""

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import partial
from itertools import count, cycle
from pathlib import Path
from random import Random
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402 - models need the settings
from django.db import connection  # noqa: E402
from django.db.models import F  # noqa: E402
from django.test import Client, override_settings  # noqa: E402
from django.test.client import ClientHandler  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.utils import timezone  # noqa: E402

from apps.accounts.models import User  # noqa: E402
from apps.blog.feed import fan_out  # noqa: E402
from apps.blog.models import Note  # noqa: E402
from apps.chat import chats, messages  # noqa: E402
from apps.chat.models import Chat, Member  # noqa: E402
from apps.coupons.claims import loading, seckill  # noqa: E402
from apps.coupons.claims.entries import AcceptedOrder  # noqa: E402
from apps.coupons.models import FlashSale, Status, VoucherOrder  # noqa: E402
from apps.coupons.orders import lifecycle, recording  # noqa: E402
from apps.demo import city  # noqa: E402
from apps.demo import shops as demo_shops  # noqa: E402
from apps.follows import graph  # noqa: E402
from apps.follows.models import Follow, Standing  # noqa: E402
from apps.monitoring.reconcile import parts  # noqa: E402
from apps.redis_kit import client  # noqa: E402
from apps.shops.models import Shop  # noqa: E402
from apps.signins import check_ins  # noqa: E402
from lab.bench import reports  # noqa: E402
from tests.coupons.buyers import browser_client  # noqa: E402
from tests.factories import CityFactory, FlashSaleFactory, UserFactory  # noqa: E402
from tests.shops import makers  # noqa: E402

ROUNDS, WARM_UPS, READERS, BATCH = 9, 2, 11, 2_000
#: The sizes of each subject, the last one with --full alone.
SIZES: dict[str, list[int]] = {
    "shops": [480, 50_000, 500_000],
    "notes": [5_000, 200_000, 1_000_000],
    "followers": [10, 10_000, 100_000],
    "members": [2, 50, 500],
    "orders": [10_000, 100_000, 1_000_000],
    "check-ins": [1_000, 100_000, 1_000_000],
}
#: Their last size takes minutes at most, so it is always measured.
ALWAYS_WHOLE = {"followers", "members"}
#: One for all browsers: each would otherwise read all static files in its first request.
HANDLER = ClientHandler()
Work = Callable[[], object]
#: Milliseconds of this process, of Redis, of PostgreSQL's process that serves it (0 with SQLite, which is in
#: this one), SQL statements.
Cost = tuple[float, float, float, int]


def main(subject: str, full: bool) -> None:
    grow, measured = SUBJECTS[subject]
    sizes = SIZES[subject] if full or subject in ALWAYS_WHOLE else SIZES[subject][:-1]
    columns, memory = list[dict[str, Cost]](), list[str]()
    with override_settings(ALLOWED_HOSTS=["*"]):
        for size in sizes:
            began, own, redis = time.monotonic(), time.process_time(), _redis_seconds()
            grow(size)
            own, redis = time.process_time() - own, _redis_seconds() - redis
            took = f"{time.monotonic() - began:.0f} s, {own:.0f} + {redis:.0f} s of a processor"
            print(f"{subject}: {size:,} after {took}", file=sys.stderr)
            columns.append({})
            for name, work, rounds in measured():
                columns[-1][name] = _measure(work, rounds)
                print(f"{size:,} {_row(name, columns[-1:])}", file=sys.stderr, flush=True)
            memory.append(_memory())
            print(f"{size:,} {memory[-1]}", file=sys.stderr, flush=True)
    head = [subject, *(f"{size:,}" for size in sizes), "grows"]
    rows = [_row(name, columns) for name in columns[0]]
    print(reports.markdown_table(head, [*rows, ["memory: this process + Redis", *memory, ""]]))


def _memory() -> str:
    """Tell what this process alone holds (the part of shared pages that is its own) and what Redis holds."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    own = next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1_024
    told: Any = client.get("blocking").info("memory")
    return f"{own:,.0f} + {told['used_memory'] / 2**20:,.0f} MiB"


def _row(name: str, columns: Sequence[dict[str, Cost]]) -> list[str]:
    costs = [column[name] for column in columns]
    is_server = connection.vendor == "postgresql"
    figures = [
        f"{own:.1f} + {redis:.1f}{f' + {server:.1f}' if is_server else ''} ms, {queries} SQL"
        for own, redis, server, queries in costs
    ]
    first, last = sum(costs[0][:3]), sum(costs[-1][:3])
    return [name, *figures, f"{last / max(first, 0.01):.1f} x"]


def _measure(work: Work, rounds: int) -> Cost:
    """The cost of one call; the rounds of what can't be done again are few, and nothing warms them up."""
    for _ in range(WARM_UPS if rounds > 1 else 0):
        work()
    own, before, server_before = list[float](), _redis_seconds(), _server_seconds()
    with CaptureQueriesContext(connection) as queries:
        for _ in range(rounds):
            began = time.process_time()
            work()
            own.append(1_000 * (time.process_time() - began))
    redis = 1_000 * (_redis_seconds() - before) / rounds
    server = 1_000 * (_server_seconds() - server_before) / rounds
    return sorted(own)[rounds // 2], redis, server, len(queries) // rounds


def _redis_seconds() -> float:
    told: Any = client.get("blocking").info("cpu")
    return float(told["used_cpu_user"]) + float(told["used_cpu_sys"])


def _server_seconds() -> float:
    """Return the processor time of the process of PostgreSQL that serves this connection; 0 with SQLite."""
    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        served = cursor.fetchone()
    assert served
    return int(Path(f"/proc/{served[0]}/schedstat").read_text().split()[0]) / 1e9


def _page(path: str, person: User | None = None) -> Work:
    """Ask for a page as the view renders it: Django's handler keeps no shared documents."""
    # In turn, so that no one reaches a limit.
    people = [person] if person else User.objects.order_by("pk")[:READERS]
    browsers = [browser_client(one) for one in people]
    for browser in browsers:
        browser.handler = HANDLER
    following = cycle(browsers)
    return lambda: _ask(next(following), path)


def _admin_page(path: str) -> Work:
    browser = Client()
    browser.handler = HANDLER
    browser.force_login(User.objects.filter(is_superuser=True).first() or UserFactory.create(superuser=True))
    return partial(_ask, browser, path)


def _ask(browser: Client, path: str) -> None:
    answer = browser.get(path)
    assert answer.status_code == 200, f"{path}: {answer.status_code}"


Measured = Iterable[tuple[str, Work, int]]


def _grow_shops(size: int) -> None:
    """The demo city, then more shops in it, without the vouchers, notes and visits that theirs would have."""
    first, *_larger = SIZES["shops"]
    if size == first:
        call_command("seed_demo", shops=size, verbosity=0)
        return
    demo_shops.make(size, seed=city.DEFAULT_SEED, step=lambda _batch: None)
    call_command("rebuild_redis", "shops", "search", verbosity=0, stdout=sys.stderr)


def _measured_shops() -> Measured:
    yield "home", _page("/"), ROUNDS
    yield "list", _page("/shops/"), ROUNDS
    yield "list by rating", _page("/shops/?sort=rating"), ROUNDS
    yield "near me, 5 km", _page("/api/shops?lat=30.25&lng=120.16"), ROUNDS
    yield "search", _page("/search/?q=hot+pot"), ROUNDS
    yield "suggest", _page("/api/suggest?q=ho"), ROUNDS
    yield "admin's list", _admin_page("/admin/shops/shop/"), ROUNDS
    yield "admin's search", _admin_page("/admin/shops/shop/?q=noodle"), ROUNDS
    yield "admin's page 5", _admin_page("/admin/shops/shop/?p=5"), ROUNDS


def _grow_notes(size: int) -> None:
    people = list(User.objects.all()[:500]) or UserFactory.bulk_create(500)
    # Lists are those of a city, in which nearly all shops lie.
    CityFactory.create()
    shops = list(Shop.objects.all()[:200]) or [*makers.shops(190), *makers.shops(10, lat=31.2, lng=121.4)]
    chance, now, have = Random(size), timezone.now(), Note.objects.count()
    for start in range(have, size, BATCH):
        Note.objects.bulk_create(
            Note(
                author=chance.choice(people),
                shop=chance.choice(shops),
                title=f"Broth {number}",
                text="We waited ten minutes and would wait an hour. " * 5,
                rating=chance.randint(1, 5),
                status=Note.Status.PUBLISHED,
                published_at=(at := now - timedelta(seconds=chance.randrange(10**8))),
                pushed_at=at,
                heat=chance.random(),
            )
            for number in range(start, min(size, start + BATCH))
        )
    call_command("rebuild_redis", "search", verbosity=0, stdout=sys.stderr)


def _measured_notes() -> Measured:
    shop = Shop.objects.order_by("pk")[0]
    author = Note.objects.order_by("pk")[0].author_id
    yield "home", _page("/"), ROUNDS
    yield "hot", _page("/notes/"), ROUNDS
    yield "newest", _page("/notes/?tab=new"), ROUNDS
    yield "a shop's", _page(f"/shops/{shop.pk}/notes/"), ROUNDS
    yield "a shop's page", _page(f"/shops/{shop.pk}/"), ROUNDS
    yield "a person's", _page(f"/people/{author}/notes/"), ROUNDS
    yield "search: a word of all", _page("/search/?q=waited"), ROUNDS
    yield "search: a word of one", _page("/search/?q=broth+77"), ROUNDS
    yield "admin's list", _admin_page("/admin/blog/note/"), ROUNDS


def _grow_followers(size: int) -> None:
    author = User.objects.filter(nickname="Author").first() or UserFactory.create(nickname="Author")
    have = Follow.objects.filter(followee=author).count()
    for start in range(have, size, BATCH):
        fans = UserFactory.bulk_create(min(BATCH, size - start))
        Follow.objects.bulk_create(Follow(follower=fan, followee=author) for fan in fans)
        Standing.objects.bulk_create(Standing(pk=fan.pk, following=1) for fan in fans)
    Standing.objects.update_or_create(pk=author.pk, defaults={"followers": size})


def _measured_followers() -> Measured:
    author = User.objects.get(nickname="Author")
    fresh = iter(UserFactory.bulk_create(50))
    shop = Shop.objects.first() or makers.shops(1)[0]

    def publish() -> None:
        note = Note.objects.create(
            author=author, shop=shop, title="Broth", text="Again.", rating=5,
            status=Note.Status.PUBLISHED, published_at=timezone.now(),
        )  # fmt: skip
        last = 0
        while last := fan_out.push_batch(note.pk, after=last):
            pass

    yield "profile", _page(f"/people/{author.pk}/"), ROUNDS
    yield "list of followers", _page(f"/people/{author.pk}/followers/"), ROUNDS
    yield "a follow", lambda: graph.follow(next(fresh).pk, author.pk), ROUNDS
    yield "publish, to all inboxes", publish, 3


def _grow_members(size: int) -> None:
    founder = User.objects.filter(nickname="Founder").first() or UserFactory.create(nickname="Founder")
    chat = Chat.objects.filter(pair=None).first()
    if chat is None:
        other = UserFactory.create()
        graph.follow(other.pk, founder.pk)
        chat = chats.create_group(founder.pk, [other.pk], "Breakfast club")
    have = Member.objects.filter(chat=chat).count()
    people = UserFactory.bulk_create(size - have) if size > have else []
    Member.objects.bulk_create(Member(chat=chat, user=person) for person in people)


def _measured_members() -> Measured:
    founder, chat = User.objects.get(nickname="Founder"), Chat.objects.filter(pair=None)[0]
    numbers = count(Chat.objects.count())
    yield "send a message", partial(_send, founder.pk, chat.pk, numbers), ROUNDS
    yield "the chat's page", _page(f"/chats/{chat.pk}/", founder), ROUNDS
    yield "the list of chats", _page("/chats/", founder), ROUNDS
    yield "the chat's members", _page(f"/chats/{chat.pk}/about/", founder), ROUNDS


def _send(user_id: int, chat_id: int, numbers: "count[int]") -> None:
    messages.post(user_id, chat_id, f"At eight? {next(numbers)}")


def _grow_orders(size: int) -> None:
    sale = FlashSale.objects.first() or FlashSaleFactory.create(stock_total=2_000_000, stock_left=2_000_000)
    have = VoucherOrder.objects.count()
    for start in range(have, size, BATCH):
        people = UserFactory.bulk_create(min(BATCH, size - start))
        rows = [
            recording.build_row(
                _accepted(sale, start + place, person.pk), sale, code=f"G{start + place:011d}"
            )
            for place, person in enumerate(people)
        ]
        recording.insert_rows(rows, pay_deadline=timezone.now() + timedelta(days=1))
    sold = VoucherOrder.objects.filter(status=Status.UNPAID).count()
    FlashSale.objects.filter(pk=sale.pk).update(stock_left=F("stock_total") - sold)
    began = time.process_time()
    # Redis knows the orders that came through SQL only when it is made to.
    assert loading.load(sale.pk, force=True)
    print(f"loaded into Redis: {time.process_time() - began:.2f} s of the processor", file=sys.stderr)


def _accepted(sale: FlashSale, number: int, user_id: int) -> AcceptedOrder:
    return AcceptedOrder(
        order_id=(1 << 58) + (number << 5),
        voucher_id=sale.pk,
        user_id=user_id,
        token=f"{number:032x}",
        accepted_at=timezone.now(),
        epoch=1,
    )


def _measured_orders() -> Measured:
    sale, newest = FlashSale.objects.get(), VoucherOrder.objects.order_by("-pk")[0]
    fresh = iter(UserFactory.bulk_create(5_000))
    numbers = count(newest.pk + 32, 32)

    def record_hundred() -> None:
        batch = [
            _accepted(sale, 0, next(fresh).pk)._replace(order_id=number, token=f"{number:032x}")
            for number in (next(numbers) for _ in range(100))
        ]
        assert recording.record(batch).new == 100

    def close_hundred() -> None:
        unpaid = VoucherOrder.objects.filter(status=Status.UNPAID).order_by("pk")[:100]
        overdue = timezone.now() - timedelta(minutes=1)
        VoucherOrder.objects.filter(pk__in=[order.pk for order in unpaid]).update(pay_deadline=overdue)
        lifecycle.close_batch()

    yield (
        "a claim's script",
        lambda: seckill.claim(sale.pk, user_id=next(fresh).pk, request_token="a"),
        ROUNDS,
    )
    yield "record 100", record_hundred, 5
    yield "close 100", close_hundred, 5
    yield "the sale's page", _page(f"/vouchers/{sale.pk}/"), ROUNDS
    yield "a buyer's orders", _page("/orders/", newest.user), ROUNDS
    yield "admin's list", _admin_page("/admin/coupons/voucherorder/"), ROUNDS
    yield "admin's page 5", _admin_page("/admin/coupons/voucherorder/?p=5"), ROUNDS
    yield "reconcile the sales", _reconcile("coupons"), 1


def _reconcile(app: str) -> Work:
    def compare() -> None:
        findings = [finding for part in parts.select([app]) for finding in part.check(fix=False)]
        print(f"reconcile found {len(findings)}: {findings[:3]}", file=sys.stderr)

    return compare


def _grow_check_ins(size: int) -> None:
    have = User.objects.count()
    for start in range(have, size, BATCH):
        for person in UserFactory.bulk_create(min(BATCH, size - start)):
            check_ins.check_in_today(person.pk)


def _measured_check_ins() -> Measured:
    fresh = iter(UserFactory.bulk_create(50))
    yield "check in", lambda: check_ins.check_in_today(next(fresh).pk), ROUNDS
    yield "calendar", _page("/sign-in/"), ROUNDS
    yield "longest streaks", _page("/sign-in/leaders/"), ROUNDS
    yield "reconcile check-ins", _reconcile("signins"), 1


SUBJECTS: dict[str, tuple[Callable[[int], object], Callable[[], Measured]]] = {
    "shops": (_grow_shops, _measured_shops),
    "notes": (_grow_notes, _measured_notes),
    "followers": (_grow_followers, _measured_followers),
    "members": (_grow_members, _measured_members),
    "orders": (_grow_orders, _measured_orders),
    "check-ins": (_grow_check_ins, _measured_check_ins),
}


if __name__ == "__main__":
    main(sys.argv[1], "full" in sys.argv[2:])
