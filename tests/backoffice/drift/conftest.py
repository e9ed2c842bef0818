"""The worlds in which drift is injected: small, whole and clean, each with things that nobody touches."""

from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone
from redis import Redis

from apps.accounts.models import User
from apps.accounts.sessions import tokens
from apps.ads import serving
from apps.ads.learning import repricing
from apps.ads.money import charging
from apps.blog import likes
from apps.blog.feed import inboxes
from apps.blog.models import Comment, Note
from apps.chat import chats, messages
from apps.coupons import keys
from apps.coupons.catalog import findable_sales
from apps.coupons.claims import loading, seckill
from apps.coupons.models import FlashSale, Voucher
from apps.coupons.orders import lifecycle
from apps.coupons.reconcile import queues, reconciliation, sale_invariants
from apps.follows import graph
from apps.mailbox import copies, notifications
from apps.mailbox.models import Broadcast
from apps.mailbox.notices import Kind, Notice
from apps.search.index import draining
from apps.search.index import rebuilding as index_rebuilding
from apps.search.suggest import indexing
from apps.shops.geo import rebuilding
from apps.shops.models import Shop
from apps.signins import check_ins
from apps.signins.streaks import leaderboard
from tests.ads import makers as ad_makers
from tests.backoffice.drift import snapshots
from tests.blog import feed_makers
from tests.coupons import buyers
from tests.differences import find_differences
from tests.shops import makers as shop_makers


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Second looks come at once: nobody else writes here."""
    monkeypatch.setattr(reconciliation, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(queues, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(inboxes, "RECHECK_PAUSE_SECONDS", 0)
    # On a stalled machine the order that waits in a world does so for longer than a minute.
    monkeypatch.setattr(sale_invariants, "MAX_IN_FLIGHT_AGE", timedelta(hours=1))


@pytest.fixture
def undecoded_redis(guarded_redis: Redis) -> Iterator[Redis]:
    """Redis as bytes: bitmaps are no text."""
    opened = snapshots.connect_undecoded(guarded_redis)
    yield opened
    opened.close()


@pytest.fixture
def selling(alice: User, bob: User, charlie: User, guarded_redis: Redis) -> SimpleNamespace:
    """A sale: Alice bought, Bob gave back, Charlie waits. Beside it one of Alice, and a withdrawn one."""
    shop = shop_makers.shop()
    rebuilding.rebuild()
    sale, beside, withdrawn = (_open_sale(shop) for _ in range(3))
    buyers.create_order(beside, alice)
    order = buyers.create_order(sale, alice)
    lifecycle.cancel(buyers.create_order(sale, bob))
    seckill.claim(sale.pk, user_id=charlie.pk, request_token="c")
    Voucher.objects.filter(pk=withdrawn.pk).update(is_offered=False)
    loading.load(withdrawn.pk, force=True)
    # It stays as long as the test, which its mark in Redis would not.
    guarded_redis.expire(keys.for_sale(withdrawn.pk).sale, 600)
    for each in (sale, beside, withdrawn):
        each.refresh_from_db()
    find_differences("blog.scores", fix=True)
    findable_sales.update([shop.pk])
    return SimpleNamespace(
        sale=sale,
        withdrawn=withdrawn,
        order=order,
        held=keys.for_sale(sale.pk),
        alice=str(alice.pk),
        bob=str(bob.pk),
        charlie=str(charlie.pk),
    )


def _open_sale(shop: Shop) -> FlashSale:
    voucher = Voucher.objects.create(shop=shop, title_en="Noodles", price=4_900, value=8_800)
    begins = timezone.now() - timedelta(minutes=1)
    sale = FlashSale.objects.create(
        voucher=voucher, stock_total=10, stock_left=10, begins_at=begins, ends_at=begins + timedelta(hours=1)
    )
    loading.load(sale.pk)
    sale.refresh_from_db()
    return sale


@pytest.fixture
def streets(db: None) -> SimpleNamespace:
    """Four listed shops of two types, and one that is not listed."""
    food = shop_makers.shops(3)
    cafe = shop_makers.shop("Corner Café", type="cafe", lat=shop_makers.LAT + 0.01)
    hidden = shop_makers.shop("Closed Kitchen", is_listed=False)
    find_differences("blog.scores", fix=True)
    rebuilding.rebuild()
    indexing.rebuild(lambda _done, _total: None)
    return SimpleNamespace(food=food, cafe=cafe, hidden=hidden)


@pytest.fixture
def people(alice: User, bob: User, charlie: User) -> SimpleNamespace:
    """Bob follows Alice, has her note in his feed, likes it; he and Charlie have checked in."""
    graph.follow(bob.pk, alice.pk)
    feed_makers.read_all_pages(bob)
    note = feed_makers.publish(alice)
    Comment.objects.create(note=note, author=bob, text="We will come back.")
    Note.objects.filter(pk=note.pk).update(comments=1)
    likes.like(note.pk, bob.pk)
    likes.for_note_page(Note.objects.get(pk=note.pk), bob.pk)
    for person in (bob, charlie):
        graph.followed_ids(person.pk)
        check_ins.check_in_today(person.pk)
    leaderboard.rebuild()
    find_differences("blog.scores", fix=True)
    rebuilding.rebuild()
    indexing.rebuild(lambda _done, _total: None)
    note.refresh_from_db()
    return SimpleNamespace(note=note, reader=bob, author=alice, stranger=charlie)


@pytest.fixture
def advertising(alice: User) -> SimpleNamespace:
    """Two ads of two campaigns; one was seen and clicked before the other came."""
    ad = ad_makers.ad(words=["tea"])
    served = ad_makers.serve("tea")
    ad_makers.see(served)
    serving.record_click(served.ticket, ad_makers.VIEWER)
    charging.drain()
    beside = ad_makers.ad()
    repricing.save_counts()
    return SimpleNamespace(ad=ad, beside=beside, campaign=ad.campaign)


@pytest.fixture
def mailboxes(alice: User, bob: User, charlie: User) -> SimpleNamespace:
    """Alice has two notifications and a broadcast, all copied; she and Bob have written to each other."""
    notifications.notify(Notice(alice.pk, Kind.FOLLOW, actor_id=bob.pk))
    notifications.notify(Notice(alice.pk, Kind.FOLLOW, actor_id=charlie.pk))
    Broadcast.objects.create(
        title_en="Lantern week", text_en="All week", state=Broadcast.State.SENT, sent_at=timezone.now()
    )
    chat = chats.open_with(alice.pk, bob.pk)
    for text in ("Hello", "Are you there?"):
        messages.post(alice.pk, chat.pk, text)
    group = chats.create_group(alice.pk, [bob.pk], "Friday")
    for person in (alice, bob):
        copies.load_unread([person.pk])
        copies.NEWEST.load([person.pk])
    copies.read_broadcasts()
    token = tokens.issue(alice, kind="api")
    digest = tokens.digest(token)
    other = tokens.digest(tokens.issue(bob, kind="api"))
    tokens.read_through([digest, other])
    return SimpleNamespace(alice=alice, bob=bob, chat=chat, group=group, digest=digest, other=other)


@pytest.fixture
def library(alice: User) -> SimpleNamespace:
    """An index of three shops, a person and a note."""
    shops = shop_makers.shops(3)
    # The later parts of this name are cut within a letter.
    shop_makers.shop(
        "A1 \u706b\u9505\u5e97\u706b\u9505\u5e97\u706b\u9505\u5e97\u706b\u9505",
        name_zh="b\u706b\u9505\u5e97 c\u706b\u9505\u5e97\u706b\u9505\u5e97\u706b\u9505\u5e97",
    )
    note = feed_makers.publish(alice)
    find_differences("blog.scores", fix=True)
    rebuilding.rebuild()
    index_rebuilding.rebuild()
    # A kind may differ by as many documents as wait.
    draining.index_waiting()
    indexing.rebuild(lambda _done, _total: None)
    return SimpleNamespace(shops=shops, note=note, person=alice)
