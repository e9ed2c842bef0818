"""A shop's score: what was imported, and the stars of its notes."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection, transaction

from apps.accounts.models import User
from apps.blog.models import Note
from apps.blog.writing import notes, shop_scores
from apps.shops import ratings, shop_cache
from apps.shops.lists import nearby
from apps.shops.lists.query import Query, Sort
from apps.shops.models import Shop
from tests.blog import authors, makers
from tests.races import race
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)


def score(shop: Shop) -> tuple[int, int]:
    shop.refresh_from_db()
    return shop.rating, shop.reviews


def publish(author: User, shop: Shop, stars: int) -> Note:
    return notes.create(author, shop, publish=True, **authors.complete_note(author, rating=stars))


@pytest.fixture
def shop(db: None) -> Shop:
    """Ten imported reviews of 4.0 stars."""
    return makers.shop(rating=40, reviews=10, imported_rating=40, imported_reviews=10)


def test_the_score_follows_a_note_through_its_life(shop: Shop, alice: User) -> None:
    draft = notes.create(alice, shop, **authors.complete_note(alice, rating=1))
    assert score(shop) == (40, 10)
    notes.publish(draft)
    assert score(shop) == (37, 11)
    notes.save(draft, rating=5)
    assert score(shop) == (41, 11)
    notes.delete(draft)
    assert score(shop) == (40, 10)
    notes.undo_delete(draft)
    assert score(shop) == (41, 11)
    notes.hide(draft)
    assert score(shop) == (40, 10)


def test_a_deleted_draft_changes_no_score(shop: Shop, alice: User) -> None:
    notes.delete(notes.create(alice, shop, **authors.complete_note(alice, rating=1)))
    assert score(shop) == (40, 10)


def test_a_shop_without_imports_has_its_notes_alone(alice: User) -> None:
    shop = makers.shop(rating=0, reviews=0, imported_rating=0, imported_reviews=0)
    note = publish(alice, shop, 4)
    publish(alice, shop, 5)
    assert score(shop) == (45, 2)
    for one in Note.objects.all():
        notes.delete(one)
    assert score(shop) == (0, 0)
    assert note.shop == shop


@pytest.mark.parametrize(
    ("imported", "notes_", "stars", "expected"),
    [
        ((0, 0), 0, 0, 0),
        ((45, 1), 1, 4, 43),
        ((33, 2), 1, 4, 35),
        ((50, 4_000_000), 1, 1, 50),
        ((0, 0), 3, 14, 47),
    ],
)
def test_halves_are_rounded_up(
    shop: Shop, imported: tuple[int, int], notes_: int, stars: int, expected: int
) -> None:
    shop.imported_rating, shop.imported_reviews = imported
    ratings.update_rating(shop, notes=notes_, stars=stars)
    assert score(shop) == (expected, imported[1] + notes_)


def test_many_notes_at_once_are_all_counted(shop: Shop, alice: User, bob: User) -> None:
    people = [alice, bob] * 4
    answers = race(8, lambda number: publish(people[number], shop, 1 + number % 5))
    assert not [answer for answer in answers if isinstance(answer, Exception)]
    stars = sum(1 + number % 5 for number in range(8))
    assert score(shop) == ((2 * (400 + 10 * stars) + 18) // 36, 18)


def test_a_score_that_drifted_is_counted_anew(shop: Shop, alice: User) -> None:
    Shop.objects.filter(pk=shop.pk).update(rating=1, reviews=999)
    publish(alice, shop, 4)
    assert score(shop) == (40, 11)
    with transaction.atomic():
        shop_scores.recount_rating(shop.pk)
    assert score(shop) == (40, 11)


def test_lists_and_the_shops_page_show_the_new_score(shop: Shop, alice: User) -> None:
    other = makers.shop("Other", rating=41, reviews=10, imported_rating=41, imported_reviews=10)
    shops.commit_and_index()
    shop_cache.get(shop.pk)

    def best() -> list[int]:
        return [found.pk for found in nearby.load_page(Query(sort=Sort.RATING)).items]

    assert best() == [other.pk, shop.pk]
    for _ in range(3):
        publish(alice, shop, 5)
    found = shop_cache.get(shop.pk)
    assert found
    assert (found.rating, found.reviews) == (42, 13)
    assert best() == [shop.pk, other.pk]


def test_scores_from_before_are_what_was_imported(shop: Shop) -> None:
    Shop.objects.update(rating=33, reviews=7, imported_rating=0, imported_reviews=0)
    migration = import_module("apps.shops.migrations.0002_imported_ratings")
    with connection.schema_editor() as editor:
        migration.keep_what_was_there(apps, editor)
    shop.refresh_from_db()
    assert (shop.imported_rating, shop.imported_reviews) == (33, 7)
