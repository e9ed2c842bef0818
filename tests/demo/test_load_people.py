"""People made for load tests do what others do, and stand in no list, ranking, suggestion or count."""

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from apps.accounts import mentions
from apps.accounts.models import Mention, User
from apps.accounts.profiles.directory import AccountsDirectory
from apps.blog import likes
from apps.coupons.models import VoucherOrder
from apps.coupons.templatetags import coupons_dashboard
from apps.follows import graph, person_lists
from apps.rankings import rankings
from apps.search.index import rebuilding as search_index
from apps.search.query.search import SearchRequest, search
from apps.search.suggest import indexing as names_index
from apps.signins import check_ins
from apps.signins.streaks import leaderboard
from tests.blog import makers as notes
from tests.demo.test_mint_tokens import mint
from tests.factories import SaveFactory, UserFactory, VoucherOrderFactory
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def loader(settings: object) -> User:
    """A person whom mint_tokens made."""
    settings.DEMO = True  # type: ignore[attr-defined]
    mint(1, "-")
    return User.objects.get(is_made_for_load=True)


def build_indexes() -> None:
    search_index.rebuild(lambda _done, _total: None)
    names_index.rebuild(lambda _done, _total: None)


def test_neither_search_nor_suggestions_find_them(loader: User, client: Client) -> None:
    namesake = UserFactory.create(nickname=f"{loader.nickname} too")
    build_indexes()
    found = search(SearchRequest(text=loader.nickname, kind="people")).hits
    assert [hit.thing.pk for hit in found] == [namesake.pk]
    suggested = client.get("/api/suggest", {"q": "Load", "kind": "people"}).json()["items"]
    assert [line["id"] for line in suggested] == [namesake.pk]


def test_suggestions_without_redis_leave_them_out_too(loader: User, redis_away: None, client: Client) -> None:
    namesake = UserFactory.create(nickname=f"{loader.nickname} too")
    suggested = client.get("/api/suggest", {"q": "Load", "kind": "people"}).json()["items"]
    assert [line["id"] for line in suggested] == [namesake.pk]


def test_a_name_in_a_text_means_none_of_them(loader: User, alice: User) -> None:
    text = f"With @{loader.nickname} "
    mentions.record("note", 1, author_id=alice.pk, text=text, picked=[loader.pk])
    assert not Mention.objects.exists()


def test_they_are_neither_suggested_nor_among_followers(loader: User, alice: User, bob: User) -> None:
    for follower, followee in ((loader, alice), (bob, alice), (alice, loader), (alice, bob)):
        graph.follow(follower.pk, followee.pk)
    followers = person_lists.list_followers(alice.pk, viewer_id=None).items
    following = person_lists.list_following(alice.pk, viewer_id=None).items
    suggested = person_lists.for_viewer(None)
    assert [row.person for row in followers] == [bob]
    assert [row.person for row in following] == [bob]
    assert loader not in [row.person for row in suggested]
    assert alice in [row.person for row in suggested]


def test_they_are_not_among_those_who_like_a_note(loader: User, alice: User, bob: User) -> None:
    note = notes.note(alice)
    for user in (loader, bob):
        likes.like(note.pk, user.pk)
    note.refresh_from_db()
    assert likes.for_note_page(note, None).first == [bob]
    assert [like.user for like in likes.list_likers(note.pk, cursor=None).items] == [bob]


def test_the_leaderboard_leaves_their_places_to_others(loader: User, alice: User) -> None:
    check_ins.check_in_today(loader.pk)
    check_ins.check_in_today(alice.pk)
    board = leaderboard.load(None).people
    assert [(place.rank, place.user) for place in board] == [(1, alice)]


@pytest.mark.both_databases
def test_what_they_do_raises_no_shop(loader: User, alice: User) -> None:
    shop, now = shops.shop(), timezone.now()
    for user in (loader, alice):
        SaveFactory.create(user=user, shop=shop, created_at=now)
        notes.note(user, shop=shop, at=now, rating=5, photos=0)
        VoucherOrderFactory.create(voucher__shop=shop, user=user, paid=True, accepted_at=now)
    assert rankings.score_shops([shop.pk], timezone.localdate()) == {shop.pk: pytest.approx(5 + 2 * 5 + 8)}


@pytest.mark.both_databases
def test_sums_of_the_dashboard_have_none_of_their_orders(loader: User, alice: User) -> None:
    for cached in (coupons_dashboard._totals_today, coupons_dashboard._orders_by_minute):
        cached.cache_clear()
    for number, user in enumerate((loader, alice)):
        moment = coupons_dashboard._first_order_id(timezone.now())
        VoucherOrderFactory.create(id=moment + number, user=user, paid=True)
    price = VoucherOrder.objects.get(user=alice).price
    assert coupons_dashboard._totals_today(0) == (1, {settings.CURRENCY: price})
    assert sum(coupons_dashboard._orders_by_minute(0)[1]) == 1


@pytest.mark.both_databases
def test_messages_to_everybody_count_without_them(loader: User, alice: User) -> None:
    assert AccountsDirectory().count("") == 1
