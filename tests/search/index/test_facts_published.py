"""What search finds, orders or filters by follows every verb that changes it, at once.

Each verb is said with the facts that it must change. Afterwards the index has to hold what the rows say, so
that a verb that publishes nothing fails, and every declared fact must be changed by some verb.
"""

from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import NamedTuple

import pytest
import time_machine
from django.contrib import admin
from django.http import HttpRequest

from apps.accounts.models import User
from apps.accounts.profiles import editing, suspensions
from apps.blog import comments, likes
from apps.blog.models import Comment, Note
from apps.blog.writing import notes
from apps.coupons import tasks as coupon_tasks
from apps.coupons.catalog import findable_sales, sales
from apps.coupons.models import FlashSale, Voucher
from apps.coupons.terms import Terms
from apps.redis_kit import client
from apps.search import keys
from apps.search import tasks as search_tasks
from apps.search.index import draining, generations, rebuilding, records
from apps.search.index.records import kind_named
from apps.shops import changes
from apps.shops.models import Shop
from apps.web import readings
from apps.web.findable import KINDS, Kind
from tests.blog import makers
from tests.coupons.conftest import make_sale, shop
from tests.differences import find_differences
from tests.search.index.entries import list_stale_keys
from tests.shops import makers as shop_makers

__all__ = ["make_sale", "shop"]
pytestmark = pytest.mark.django_db


class City(NamedTuple):
    """A shop with a coming sale, a note about it with a comment and a deleted one, and two people."""

    shop: Shop
    sale: FlashSale
    note: Note
    comment: Comment
    deleted_comment: Comment
    alice: User
    bob: User

    def document_id(self, kind: str) -> int:
        ids: dict[str, int] = {
            "shops": self.shop.pk,
            "sales": self.sale.pk,
            "notes": self.note.pk,
            "people": self.alice.pk,
        }
        return ids[kind]


def set_shop(**fields: object) -> Callable[[City], object]:
    return lambda city: changes.update(Shop.objects.filter(pk=city.shop.pk), **fields)


def save_note(**fields: object) -> Callable[[City], object]:
    return lambda city: notes.save(city.note, **fields)  # type: ignore[arg-type]


def set_terms(city: City) -> None:
    begins, ends = (at + timedelta(hours=1) for at in (city.sale.begins_at, city.sale.ends_at))
    sales.change(city.sale.pk, Terms(city.sale.stock_total, begins, ends))


def rename_type(city: City) -> None:
    city.shop.type.name_en = "Eateries"
    changes.save_type(city.shop.type)


def move_to_bar(city: City) -> None:
    city.shop.type = shop_makers.shop_type("bar")
    changes.save(city.shop, update_fields=["type"])


def edit_voucher(city: City) -> None:
    """As the admin saves it."""
    voucher = city.sale.voucher
    voucher.title_en, voucher.subtitle_en, voucher.rules_en, voucher.price = "Soup", "Hot", "Once", 3_900
    form = SimpleNamespace(changed_data=["title_en"], initial={"is_offered": True})
    admin.site._registry[Voucher].save_model(HttpRequest(), voucher, form, change=True)


def repair_counts(city: City) -> None:
    Note.objects.filter(pk=city.note.pk).update(comments=7, likes=9)
    rebuilding.rebuild_kind("notes")
    draining.index_waiting()
    find_differences("blog.notes", fix=True)


NEW = {"name_en": "Harbour Bar", "name_zh": "港口", "city_en": "Ningbo", "area_en": "Old Bund"}
SHOWN = {"texts.shop", "facets.city", "facets.area", "place"}
#: name: (what is done, {kind: facts that differ afterwards}); "gone": nobody finds it any more.
VERBS: dict[str, tuple[Callable[[City], object], dict[str, set[str]]]] = {
    "a shop is renamed and moved": (
        set_shop(**NEW, lat=29.87, address_en="1 Bund"),
        {
            "shops": {"texts.name", "texts.place", "names.name_en", "names.name_zh", *SHOWN - {"texts.shop"}},
            "notes": SHOWN,
            "sales": SHOWN | {"texts.shop"},
        },
    ),
    "a shop's facts change": (
        set_shop(
            popularity=99, price=30_000, rating=11, reviews=77, about_en="Quiet", hours_en="08:00–09:00"
        ),
        {
            "shops": {"orders.popular", "orders.price", "orders.rating", "orders.votes"}
            | {"texts.about", "facets.price"}
        },
    ),
    "a shop gets another type": (
        move_to_bar,
        {"shops": {"facets.type", "texts.type"}, "notes": {"facets.type"}, "sales": {"facets.type"}},
    ),
    "a type is renamed": (rename_type, {"shops": {"texts.type"}}),
    "a shop is taken off": (set_shop(is_listed=False), {"shops": {"gone"}}),
    "a note is edited": (
        save_note(title="Soup", text="Thin.", rating=2),
        {
            "notes": {"texts.title", "texts.text", "orders.rating", "facets.rating"},
            "shops": {"orders.rating"},
        },
    ),
    "a note is deleted": (
        lambda city: notes.delete(city.note),
        {"notes": {"gone"}, "shops": {"orders.votes"}},
    ),
    "a note is liked": (lambda city: likes.like(city.note.pk, city.bob.pk), {"notes": {"orders.votes"}}),
    "a like is taken back": (
        lambda city: likes.unlike(city.note.pk, city.alice.pk),
        {"notes": {"orders.votes"}},
    ),
    "a comment is added": (
        lambda city: comments.add(city.note.pk, city.bob, "Yes"),
        {"notes": {"orders.comments"}},
    ),
    "a comment is deleted": (lambda city: comments.delete(city.comment), {"notes": {"orders.comments"}}),
    "a comment is restored": (
        lambda city: comments.restore(city.deleted_comment),
        {"notes": {"orders.comments"}},
    ),
    "a comment is erased": (lambda city: comments.erase(city.comment), {"notes": {"orders.comments"}}),
    "wrong counts are repaired": (repair_counts, {}),
    "a profile is edited": (
        lambda city: editing.update_profile(city.alice, nickname="Ann", city="Ningbo", bio="Tea"),
        {"people": {"texts.name", "texts.city", "texts.bio", "facets.city", "names.name"}},
    ),
    "a profile is reset": (
        lambda city: editing.reset_profile(city.alice, nickname="Diner 7"),
        {"people": {"texts.name", "names.name"}},
    ),
    "an account is switched off": (
        lambda city: suspensions.switch_off([city.alice.pk]),
        {"people": {"gone"}},
    ),
    "a sale gets other times": (set_terms, {"sales": {"orders.ends", "orders.newest"}}),
    "a voucher is edited": (
        edit_voucher,
        {
            "sales": {"texts.title", "texts.subtitle", "texts.rules", "orders.price"}
            | {"names.name_en", "names.name_zh"}
        },
    ),
    "a voucher is withdrawn": (
        lambda city: sales.withdraw(city.sale.voucher),
        {"sales": {"gone"}, "shops": {"facets.voucher"}},
    ),
}
#: When a thing came; nothing changes it.
FIXED = {("shops", "orders.newest"), ("notes", "orders.newest"), ("people", "orders.newest")}


@pytest.fixture
def city(make_sale: Callable[..., FlashSale], shop: Shop, alice: User, bob: User) -> City:
    sale, note = make_sale(begins_in=600), makers.note(alice, shop=shop)
    kept, away = (comments.add(note.pk, bob, text) for text in ("Is it loud?", "No"))
    comments.delete(away)
    likes.like(note.pk, alice.pk)
    findable_sales.update_all()
    find_differences("blog.scores", fix=True)
    rebuilding.rebuild()
    # Nothing waits: what the index learns from now on is the verb's doing.
    draining.index_waiting()
    return City(shop, sale, note, kept, Comment.objects.get(pk=away.pk), alice, bob)


def read_facts(kind: Kind, number: int) -> dict[str, object]:
    """What SQL says of a thing that search finds, by the names of the declared facts."""
    documents_found = records.load_documents(kind, [number])
    if not documents_found:
        return {"gone": True}
    (found,) = documents_found
    groups = {"texts": found.texts, "orders": found.orders, "names": found.names, "facets": found.facets}
    facts = {f"{group}.{name}": value for group, named in groups.items() for name, value in named.items()}
    return facts | {"place": found.place}


def read_all_facts(city: City) -> dict[tuple[str, str], object]:
    return {
        (kind.name, fact): value
        for kind in KINDS.entries()
        for fact, value in read_facts(kind, city.document_id(kind.name)).items()
    }


def find_wrong(kind: Kind, number: int) -> list[object]:
    """What the index holds of a thing otherwise than SQL says."""
    generation = generations.live(kind.name)
    assert generation
    return [
        *list_stale_keys(),
        *find_differences("search.index"),
        *find_misplaced(kind, generation, number),
    ]


def find_misplaced(kind: Kind, generation: int, number: int) -> list[object]:
    """The orders by name in which a thing stands by another name than its own."""
    names = {
        name: value
        for fact, value in read_facts(kind, number).items()
        if (name := fact.removeprefix("names."))
    }
    misplaced: list[object] = []
    for order in kind.name_orders:
        key = keys.NAME_RECORDS(kind=kind.name, generation=generation, order=order)
        held = str(client.get().hget(key, records.encode_member(number)) or "")
        if order in names and not held.endswith(readings.sort_key(str(names[order]))):
            misplaced.append((order, held))
    return misplaced


@pytest.mark.wide
@pytest.mark.parametrize("name", VERBS)
def test_a_verb_is_followed_by_the_index(city: City, name: str) -> None:
    verb, expected = VERBS[name]
    before = read_all_facts(city)
    verb(city)
    draining.index_waiting()
    after = read_all_facts(city)
    differing = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    assert {(kind, fact) for kind, facts in expected.items() for fact in facts} <= differing
    assert [
        wrong for kind in KINDS.entries() for wrong in find_wrong(kind, city.document_id(kind.name))
    ] == []


def test_a_sale_that_is_over_leaves_the_index_and_its_shop_has_no_coupon(city: City) -> None:
    """No verb says so: the tasks that run every few seconds do."""
    with time_machine.travel(city.sale.ends_at + timedelta(seconds=1)):
        coupon_tasks.apply_voucher_dates()
        search_tasks.sweep()
        assert "facets.voucher" not in read_facts(kind_named("shops"), city.shop.pk)
        assert [
            wrong for kind in KINDS.entries() for wrong in find_wrong(kind, city.document_id(kind.name))
        ] == []


def test_every_declared_fact_is_changed_by_a_verb() -> None:
    """A new order, facet or field of a kind fails here until a verb that changes it is listed above."""
    declared = {
        (kind.name, fact)
        for kind in KINDS.entries()
        for fact in (
            *(f"texts.{name}" for name in kind.fields),
            *(f"orders.{name}" for name in kind.orders),
            *(f"names.{name}" for name in kind.name_orders),
            *(f"facets.{name}" for name in kind.facets),
        )
    }
    changed = {(kind, fact) for _verb, facts in VERBS.values() for kind in facts for fact in facts[kind]}
    assert declared - changed - FIXED == set()
