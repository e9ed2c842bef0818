"""What a commit owes is done by whoever is alive, when its process died between the two. One case an entry.

The process really dies: tests/dying.py. docs/effects.md lists the entries.
"""

import io
import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial
from typing import NamedTuple

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone
from pytest_django import Settings

from apps.accounts.models import AccessToken, User
from apps.accounts.profiles import avatars, editing
from apps.accounts.relations import blocks
from apps.accounts.sessions import tokens
from apps.ads import changes as ad_changes
from apps.blog import likes
from apps.blog.models import Note
from apps.blog.writing import notes
from apps.chat import chats, members, messages
from apps.coupons import keys
from apps.coupons.catalog import reminders, sales, vouchers
from apps.coupons.claims import entries, loading, seckill
from apps.coupons.live_settings import SALES
from apps.coupons.models import FlashSale, Payment, Status, Voucher, VoucherOrder
from apps.coupons.models.payments import PaymentState
from apps.coupons.orders import lifecycle, recording
from apps.coupons.payments import refunds
from apps.coupons.payments import tasks as payment_tasks
from apps.coupons.terms import Terms
from apps.follows import graph
from apps.imports import running
from apps.mailbox import broadcasts
from apps.moderation import decisions
from apps.moderation.models import Decision
from apps.monitoring.reconcile import parts, runs
from apps.outbox import outbox, sending
from apps.outbox.models import Channel, Message
from apps.queues import owed
from apps.queues.models import OwedEffect
from apps.rankings import rankings
from apps.redis_kit import client
from apps.redis_kit.streams import REWIND_SECONDS
from apps.saves import saves
from apps.saves.subjects import Subject
from apps.search.index import draining, rebuilding
from apps.search.models import IndexEntry
from apps.search.words import word_lists
from apps.shops import changes as shop_changes
from apps.shops import photos
from apps.shops.models import ShopPhoto
from apps.signins import check_ins
from apps.siteconfig import site_state
from apps.siteconfig.components import changes as setting_changes
from apps.siteconfig.components import copies as setting_copies
from config.celery_schedule import SCHEDULE
from tests import dying
from tests.ads import makers as ad_makers
from tests.blog import makers as note_makers
from tests.checks.sources import ROOT
from tests.coupons import buyers, payers
from tests.coupons.conftest import MakeSale
from tests.coupons.conftest import make_sale as make_sale
from tests.coupons.conftest import sandbox as sandbox
from tests.coupons.conftest import shop as shop
from tests.factories import (
    BroadcastFactory,
    CaseFactory,
    CityFactory,
    ReminderFactory,
    UserFactory,
    VoucherFactory,
)
from tests.shops import makers as shop_makers

pytestmark = [
    pytest.mark.wide,
    pytest.mark.both_databases,
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]


class People(NamedTuple):
    """Who acts in a case, and what makes a sale for them."""

    alice: User
    bob: User
    make_sale: MakeSale


#: Sets a case up; what it returns is the step whose process dies.
Case = Callable[[People], Callable[[], object]]
CASES: dict[str, tuple[Case, frozenset[str]]] = {}


def owes(*effects: str) -> Callable[[Case], Case]:
    """A case whose step owes at least these effects, each given as the end of its name."""

    def add(case: Case) -> Case:
        CASES[case.__name__] = (case, frozenset(effects))
        return case

    return add


def in_a_transaction(step: Callable[[], object]) -> None:
    """Run a step that leaves its transaction to its caller."""
    with transaction.atomic():
        step()


def stored(name: str) -> str:
    return default_storage.save(name, ContentFile(b"a picture"))


@owes("graph.after_follow")
def a_follow(people: People) -> Callable[[], object]:
    return lambda: graph.follow(people.alice.pk, people.bob.pk)


@owes("graph.after_unfollow")
def an_unfollow(people: People) -> Callable[[], object]:
    graph.follow(people.alice.pk, people.bob.pk)
    graph.followed_ids(people.alice.pk)
    return lambda: graph.unfollow(people.alice.pk, people.bob.pk)


@owes("likes.forget_copies")
def a_like(people: People) -> Callable[[], object]:
    note = note_makers.note(people.alice)
    likes.like(note.pk, UserFactory.create().pk)
    return lambda: likes.like(note.pk, people.bob.pk)


@owes("feed.announce", "indexing.send_updates")
def a_note_is_published(people: People) -> Callable[[], object]:
    near = note_makers.shop()
    return lambda: notes.create(people.alice, near, publish=True, text="Good noodles", rating=5)


@owes("feed.withdraw")
def a_note_is_deleted(people: People) -> Callable[[], object]:
    note = note_makers.note(people.alice)
    return lambda: notes.delete(note)


@owes("like_copies.forget", "files.delete_files")
def a_note_is_erased(people: People) -> Callable[[], object]:
    note = note_makers.note(people.alice, photos=1)
    notes.delete(note)
    note.refresh_from_db()
    return lambda: notes.erase(note)


@owes("members.publish_joined", "members.publish_lines")
def a_group_is_opened(people: People) -> Callable[[], object]:
    return lambda: chats.create_group(people.alice.pk, [people.bob.pk], "Hotpot")


@owes("messages.tell_again")
def a_chat_message(people: People) -> Callable[[], object]:
    chat = chats.open_with(people.alice.pk, people.bob.pk)
    return lambda: messages.post(people.alice.pk, chat.pk, text="Hello", client_id="c1")


@owes("publishing.publish_change")
def a_chat_message_is_deleted(people: People) -> Callable[[], object]:
    chat = chats.open_with(people.alice.pk, people.bob.pk)
    number = messages.post(people.alice.pk, chat.pk, text="Hello", client_id="c1").number
    return lambda: messages.delete(people.alice.pk, chat.pk, number)


@owes("members.publish_left")
def a_group_is_left(people: People) -> Callable[[], object]:
    chat = chats.create_group(people.alice.pk, [people.bob.pk], "Hotpot")
    return lambda: members.leave(people.bob.pk, chat.pk)


@owes("changes.reindex", "indexing.send_updates")
def a_shop_is_renamed(people: People) -> Callable[[], object]:
    near = shop_makers.shop()
    near.name_en = "The new name"
    return lambda: shop_changes.save(near, update_fields=["name_en"])


@owes("files.delete_unused")
def a_shop_gets_another_picture(people: People) -> Callable[[], object]:
    near = shop_makers.shop(picture=stored("shops/of-row.webp"))
    near.picture = ""
    return lambda: shop_changes.save(near, update_fields=["picture"])


@owes("shop_cache.invalidate", "files.delete_files")
def a_photo_of_a_shop_is_deleted(people: People) -> Callable[[], object]:
    photo = ShopPhoto.objects.create(shop=shop_makers.shop(), width=1_200, height=900)
    return lambda: photos.delete([photo])


@owes("shop_cache.invalidate_all")
def a_type_of_shops_is_renamed(people: People) -> Callable[[], object]:
    kind = shop_makers.shop_type()
    return lambda: shop_changes.save_type(kind)


@owes("changes.forget_city")
def a_city_is_moved(people: People) -> Callable[[], object]:
    city = CityFactory.create()
    return lambda: shop_changes.save_city(city)


@owes("saves.forget_copies")
def a_shop_is_saved(people: People) -> Callable[[], object]:
    near = shop_makers.shop()
    return lambda: saves.save(people.alice.pk, Subject("shop", near.pk))


@owes("person_cards.forget", "copies.publish")
def a_profile_is_changed(people: People) -> Callable[[], object]:
    return lambda: editing.update_profile(people.alice, nickname="Alicia")


@owes("files.delete_sizes")
def an_avatar_is_removed(people: People) -> Callable[[], object]:
    people.alice.avatar = stored("avatars/removed.webp")
    people.alice.save()
    return lambda: avatars.remove(people.alice)


@owes("avatars.move")
def an_avatar_is_set_aside(people: People) -> Callable[[], object]:
    people.alice.avatar = stored("avatars/aside.webp")
    people.alice.save()
    return partial(in_a_transaction, lambda: avatars.set_aside(people.alice))


@owes("blocks.after_block")
def a_block(people: People) -> Callable[[], object]:
    graph.follow(people.alice.pk, people.bob.pk)
    return lambda: blocks.block(people.alice.pk, people.bob.pk)


@owes("blocks.after_unblock")
def the_end_of_a_block(people: People) -> Callable[[], object]:
    blocks.block(people.alice.pk, people.bob.pk)
    return lambda: blocks.unblock(people.alice.pk, people.bob.pk)


@owes("publishing.close_streams", "token_cache.mark_revoked")
def a_log_in_is_ended(people: People) -> Callable[[], object]:
    tokens.issue(people.alice, kind=AccessToken.Kind.PAGE)
    return lambda: tokens.revoke_all(people.alice.pk)


@owes("broadcasts.after_change")
def a_broadcast_is_sent(people: People) -> Callable[[], object]:
    draft = BroadcastFactory.create()
    return lambda: broadcasts.send(draft.pk)


@owes("word_lists.forget_copy")
def the_words_of_searches_change(people: People) -> Callable[[], object]:
    return partial(in_a_transaction, word_lists.changed)


@owes("changes.write_campaign")
def a_campaign_is_stopped(people: People) -> Callable[[], object]:
    campaign = ad_makers.campaign()
    return lambda: ad_changes.switch_campaign(campaign.pk, on=False)


@owes("changes.write_ad")
def an_ad_is_stopped(people: People) -> Callable[[], object]:
    ad = ad_makers.ad()
    return lambda: ad_changes.switch_ad(ad.pk, on=False)


@owes("returns.release_units")
def an_order_is_cancelled(people: People) -> Callable[[], object]:
    order = buyers.create_order(people.make_sale(), people.alice)
    return lambda: lifecycle.cancel(order)


@owes("check_ins.rewrite_in_redis")
def a_check_in(people: People) -> Callable[[], object]:
    return lambda: check_ins.check_in_today(people.alice.pk)


@owes("running.enqueue")
def a_file_is_imported(people: People) -> Callable[[], object]:
    return lambda: running.start("vouchers", io.BytesIO(b"shop\n"), name="v.csv", by=people.alice)


@owes("live_states.tell_again")
def an_order_is_recorded(people: People) -> Callable[[], object]:
    sale = people.make_sale()
    buyers.queue_order(sale, people.alice)
    waiting = list(entries.iter_waiting_orders(keys.for_sale(sale.pk).orders))
    return lambda: recording.record(waiting)


@owes("rankings.forget_copy")
def a_ranking_is_made(people: People) -> Callable[[], object]:
    city = CityFactory.create()
    return lambda: rankings.write_week(city, date(2026, 11, 22))


@pytest.mark.parametrize("name", CASES)
def test_whoever_is_alive_does_it(name: str, alice: User, bob: User, make_sale: MakeSale) -> None:
    case, effects = CASES[name]
    step = case(People(alice, bob, make_sale))
    # The cases make rows without their copies.
    list(runs.run(parts.select(), fix=True))
    OwedEffect.objects.all().delete()
    dying.after_commit(step)
    waiting = set(OwedEffect.objects.values_list("effect", flat=True))
    missing = {effect for effect in effects if not any(full.endswith(f".{effect}") for full in waiting)}
    assert not missing, f"not owed: {missing} of {waiting}"
    assert owed.sweep() == 0, "who has just committed does it"
    let_time_pass()
    owed.sweep()
    assert not OwedEffect.objects.exists()
    left = [f"{report.part}: {report.left}" for report in runs.run(parts.select()) if report.left]
    assert left == []


def test_each_effect_has_a_case() -> None:
    covered = {effect for _case, effects in CASES.values() for effect in effects}
    ends = tuple(f".{effect}" for effect in covered)
    bare = [name for name, _effect in owed.EFFECTS.items() if not name.endswith(ends)]
    assert bare == []


def test_a_unit_of_a_cancelled_order_is_sold_again(alice: User, bob: User, make_sale: MakeSale) -> None:
    sale = make_sale(units=1)
    order = buyers.create_order(sale, alice)
    dying.after_commit(lambda: lifecycle.cancel(order))
    assert seckill.read_stock(sale.pk) == 0
    let_time_pass()
    assert owed.sweep() >= 1
    assert seckill.read_stock(sale.pk) == 1


# The marks: what a sweep over SQL finds.


def test_an_order_whose_closing_nobody_scheduled_is_closed(alice: User, make_sale: MakeSale) -> None:
    sale = make_sale()
    order_id = buyers.queue_order(sale, alice)
    waiting = list(entries.iter_waiting_orders(keys.for_sale(sale.pk).orders))
    dying.after_commit(lambda: recording.record(waiting))
    VoucherOrder.objects.update(pay_deadline=timezone.now() - timedelta(seconds=1))
    assert lifecycle.close_overdue() == 1
    assert VoucherOrder.objects.get(pk=order_id).status == Status.CANCELLED


def test_a_refund_whose_task_nobody_sent_is_paid(alice: User, make_sale: MakeSale, sandbox: None) -> None:
    order = buyers.create_order(make_sale(), alice)
    payment = payers.pay_order(order)
    order.refresh_from_db()
    dying.after_commit(lambda: refunds.refund_order(order))
    assert Payment.objects.get(pk=payment.pk).state == PaymentState.REFUNDING
    payment_tasks.sweep()
    assert Payment.objects.get(pk=payment.pk).state == PaymentState.REFUNDED


def test_a_voucher_whose_day_nobody_scheduled_is_offered(make_sale: MakeSale) -> None:
    voucher = VoucherFactory.create(is_offered=False, publish_at=timezone.now() + timedelta(hours=1))
    dying.after_commit(lambda: vouchers.save(voucher, changed={"publish_at"}))
    Voucher.objects.filter(pk=voucher.pk).update(publish_at=timezone.now() - timedelta(seconds=1))
    assert vouchers.apply_due() == 1
    assert Voucher.objects.get(pk=voucher.pk).is_offered


def test_a_reminder_that_nobody_scheduled_is_sent(alice: User, make_sale: MakeSale) -> None:
    sale = make_sale(begins_in=3_600)
    ReminderFactory.create(sale=sale, user=alice)
    soon = timezone.now() + timedelta(minutes=4)
    terms = Terms(sale.stock_total, soon, sale.ends_at)
    dying.after_commit(lambda: sales.change(sale.pk, terms))
    assert reminders.deliver_missed() == 1


def test_a_sale_whose_load_after_a_loss_nobody_scheduled_opens(
    make_sale: MakeSale, settings: Settings
) -> None:
    settings.SALE_HOLD_SECONDS = 5
    sale = make_sale()
    held = keys.for_sale(sale.pk)
    client.get().delete(held.sale, held.stock)
    dying.after_commit(lambda: loading.load(sale.pk))
    assert client.get().hget(held.sale, "state") == "recovering"
    FlashSale.objects.update(lost_at=timezone.now() - timedelta(hours=1))
    client.get().hset(held.sale, "hold_until", "1")
    assert loading.load_unusable() == 1
    assert seckill.read_stock(sale.pk) == 10


def test_a_message_that_nobody_announced_is_sent() -> None:
    letter = {"channel": Channel.EMAIL, "to": "a@example.org", "text": "Hello", "subject": "Hi", "key": "k"}
    dying.after_commit(partial(in_a_transaction, partial(outbox.post, **letter)))  # type: ignore[arg-type]
    Message.objects.update(next_try_at=timezone.now() - timedelta(seconds=10))
    assert sending.sweep() == 1


def test_a_change_that_nobody_brought_to_search_is_indexed(alice: User) -> None:
    near = shop_makers.shop()
    rebuilding.rebuild_missing()
    dying.after_commit(lambda: shop_changes.save(near, update_fields=["name_en"]))
    assert IndexEntry.objects.filter(is_waiting=True).exists()
    assert draining.index_waiting() >= 1
    assert not IndexEntry.objects.filter(is_waiting=True).exists()


def test_a_ban_whose_author_died_hides_what_was_written(alice: User, bob: User, manager: User) -> None:
    note = note_makers.note(bob)
    case = CaseFactory.create(target_id=note.pk, author=bob)
    dying.after_commit(
        lambda: decisions.decide(case.pk, manager, sanction="ban", hides_all=True, reason="Spam")
    )
    assert Decision.objects.get().swept_at is None
    assert decisions.sweep() == 1
    assert not Note.objects.published().filter(author=bob).exists()


def test_settings_that_nobody_told_of_are_in_force() -> None:
    dying.after_commit(
        lambda: setting_changes.change(SALES, {"pay_within_seconds": 123}, changed_by="Manager", based_on=0)
    )
    setting_copies.copy.fill_soon()
    site_state.poller.read_now()
    assert SALES.current().pay_within_seconds == 123


def test_sweeps_of_marks_are_ten_seconds_apart_at_most() -> None:
    names = set(re.findall(r"`([\w.]+)`, (?:5|10) s", (ROOT / "docs" / "effects.md").read_text()))
    periods = {str(entry["task"]): entry["schedule"] for entry in SCHEDULE.values()}
    swept = {name: period for name in names for task, period in periods.items() if task.endswith(name)}
    assert swept.keys() == names
    assert all(isinstance(period, float) and period <= 10 for period in swept.values())
    assert setting_copies.FILL_SECONDS <= 10
    assert REWIND_SECONDS <= 5, "consumers look"


def let_time_pass() -> None:
    """The seconds in which nobody but the one who committed does what is owed."""
    OwedEffect.objects.update(due_at=timezone.now() - timedelta(minutes=1))
