"""A shop's score: what was imported, and the stars of its notes."""

import pytest
from django.db import transaction

from apps.accounts.models import User
from apps.blog.models import Note
from apps.blog.writing import notes, shop_scores
from apps.shops import ratings, shop_cache
from apps.shops.lists import nearby
from apps.shops.lists.query import Query, Sort
from apps.shops.models import Shop
from tests.blog import authors, makers
from tests.differences import find_differences
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
    """4.0 stars were imported, which weigh as much as five notes."""
    return makers.shop(rating=40, reviews=0, imported_rating=40)


def test_the_score_follows_a_note_through_its_life(shop: Shop, alice: User) -> None:
    draft = notes.create(alice, shop, **authors.complete_note(alice, rating=1))
    assert score(shop) == (40, 0)
    notes.publish(draft)
    assert score(shop) == (35, 1)
    notes.save(draft, rating=5)
    assert score(shop) == (42, 1)
    notes.delete(draft)
    assert score(shop) == (40, 0)
    notes.undo_delete(draft)
    assert score(shop) == (42, 1)
    notes.hide(draft)
    assert score(shop) == (40, 0)


def test_a_deleted_draft_changes_no_score(shop: Shop, alice: User) -> None:
    notes.delete(notes.create(alice, shop, **authors.complete_note(alice, rating=1)))
    assert score(shop) == (40, 0)


def test_a_shop_without_imports_has_its_notes_alone(alice: User) -> None:
    shop = makers.shop(rating=0, reviews=0, imported_rating=0)
    note = publish(alice, shop, 4)
    publish(alice, shop, 5)
    assert score(shop) == (45, 2)
    for one in Note.objects.all():
        notes.delete(one)
    assert score(shop) == (0, 0)
    assert note.shop == shop


@pytest.mark.both_databases
def test_scores_are_means_of_the_notes_that_gave_them(shop: Shop, alice: User) -> None:
    first = publish(alice, shop, 4)
    notes.save(first, taste=5, room=2)
    notes.save(publish(alice, shop, 4), taste=4)
    shop.refresh_from_db()
    assert (shop.taste, shop.room, shop.service) == (45, 20, 0)
    notes.delete(first)
    shop.refresh_from_db()
    assert (shop.taste, shop.room, shop.service) == (40, 0, 0)


@pytest.mark.parametrize(
    ("imported", "count", "stars", "expected"),
    [(0, 0, 0, 0), (45, 0, 0, 45), (45, 1, 4, 44), (33, 2, 9, 36), (50, 1, 1, 43), (0, 3, 14, 47)],
)
def test_halves_are_rounded_up(shop: Shop, imported: int, count: int, stars: int, expected: int) -> None:
    shop.imported_rating = imported
    ratings.update_scores(shop, shop_scores.NO_NOTES._replace(stars=ratings.Sum(count, stars)))
    assert score(shop) == (expected, count)


@pytest.mark.both_databases
def test_many_notes_at_once_are_all_counted(shop: Shop, alice: User, bob: User) -> None:
    people = [alice, bob] * 4
    answers = race(8, lambda number: publish(people[number], shop, 1 + number % 5))
    assert not [answer for answer in answers if isinstance(answer, Exception)]
    stars = sum(1 + number % 5 for number in range(8))
    assert score(shop) == ((2 * (200 + 10 * stars) + 13) // 26, 8)


def test_a_score_that_drifted_is_counted_anew(shop: Shop, alice: User) -> None:
    Shop.objects.filter(pk=shop.pk).update(rating=1, reviews=999, taste=7)
    publish(alice, shop, 4)
    assert score(shop) == (40, 1)
    with transaction.atomic():
        shop_scores.recount(shop.pk)
    assert score(shop) == (40, 1)
    Shop.objects.filter(pk=shop.pk).update(room=7)
    assert len(find_differences("blog.scores", fix=True)) == 1
    assert find_differences("blog.scores") == []


def test_lists_and_the_shops_page_show_the_new_score(shop: Shop, alice: User) -> None:
    other = makers.shop("Other", rating=41, reviews=0, imported_rating=41)
    shops.commit_and_index()
    shop_cache.get(shop.pk)

    def best() -> list[int]:
        return [found.pk for found in nearby.load_page(Query(sort=Sort.RATING)).items]

    assert best() == [other.pk, shop.pk]
    for _ in range(3):
        publish(alice, shop, 5)
    found = shop_cache.get(shop.pk)
    assert found
    assert (found.rating, found.reviews) == (44, 3)
    assert best() == [shop.pk, other.pk]
