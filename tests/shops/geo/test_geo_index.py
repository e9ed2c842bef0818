"""The GEO index and the cached page say what SQL says, as soon as it is committed."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client

from apps.accounts.models import User
from apps.redis_kit import client
from apps.shops import areas, changes, keys, shop_cache, tasks
from apps.shops.geo import geo_index, rebuilding
from apps.shops.lists import nearby
from apps.shops.lists.query import Query, Sort
from apps.shops.models import Shop
from tests.shops import makers

pytestmark = pytest.mark.django_db
HERE = areas.Point(makers.LAT, makers.LNG)


def near(kind: int = 0) -> list[int]:
    return [one.pk for one in nearby.load_page(Query(at=HERE, radius_m=1_000, kind=kind)).items]


@pytest.fixture
def shop() -> Shop:
    made = makers.shop()
    makers.commit_and_index()
    assert near() == [made.pk]
    return made


def test_a_new_shop_is_found(shop: Shop) -> None:
    other = makers.shop("Second")
    makers.run_on_commit()
    assert near() == [shop.pk, other.pk]


def test_a_rolled_back_shop_is_not_indexed(shop: Shop) -> None:
    makers.shop("Never")
    assert client.get().zcard(keys.GEO(type=keys.ALL_TYPES)) == 1


def test_a_moved_shop_leaves_its_old_place(shop: Shop) -> None:
    shop.lat += 0.1
    changes.save(shop)
    makers.run_on_commit()
    assert near() == []


def test_a_changed_type_moves_the_shop_between_the_lists(shop: Shop) -> None:
    was, shop.type = shop.type_id, makers.shop_type("spa")
    changes.save(shop)
    makers.run_on_commit()
    assert near(kind=was) == []
    assert near(kind=shop.type_id) == [shop.pk]
    assert near() == [shop.pk]


def test_an_unlisted_shop_is_gone_and_comes_back(shop: Shop) -> None:
    changes.update(Shop.objects.filter(pk=shop.pk), is_listed=False)
    makers.run_on_commit()
    assert near() == []
    assert client.get().zcard(keys.GEO(type=keys.ALL_TYPES)) == 0
    changes.update(Shop.objects.filter(pk=shop.pk), is_listed=True)
    makers.run_on_commit()
    assert near() == [shop.pk]


@pytest.mark.both_databases
@pytest.mark.parametrize("way", ["row", "query"])
def test_a_deleted_shop_leaves_every_index(shop: Shop, way: str) -> None:
    shop_id = shop.pk
    if way == "row":
        changes.delete(shop)
    else:
        changes.delete_many(Shop.objects.filter(pk=shop_id))
    makers.run_on_commit()
    assert client.get().zcard(keys.GEO(type=keys.ALL_TYPES)) == 0
    assert client.get().hlen(keys.FACTS()) == 0
    assert 0 < client.get().ttl(keys.DELETED()) <= geo_index.DELETED_TTL.total_seconds()


def test_a_slower_writer_does_not_bring_back_an_older_version(shop: Shop) -> None:
    older = Shop.objects.get(pk=shop.pk)
    shop.rating = 31
    changes.save(shop)
    makers.run_on_commit()
    geo_index.put_shops([older])
    held = client.get().hget(keys.FACTS(), str(shop.pk))
    assert str(held).startswith("31:")


def test_a_slower_writer_does_not_bring_back_a_deleted_shop(shop: Shop) -> None:
    older = Shop.objects.get(pk=shop.pk)
    changes.delete(shop)
    makers.run_on_commit()
    geo_index.put_shops([older])
    assert client.get().zcard(keys.GEO(type=keys.ALL_TYPES)) == 0


@pytest.mark.both_databases
def test_a_new_rating_changes_the_order_at_once(shop: Shop) -> None:
    better = makers.shop("Better", rating=48)
    makers.run_on_commit()
    query = Query(at=HERE, sort=Sort.RATING)
    assert [one.pk for one in nearby.load_page(query).items] == [better.pk, shop.pk]
    changes.update(Shop.objects.filter(pk=shop.pk), rating=49)
    makers.run_on_commit()
    assert [one.pk for one in nearby.load_page(query).items] == [shop.pk, better.pk]


@pytest.mark.both_databases
def test_a_place_off_the_map_is_no_error(shop: Shop) -> None:
    changes.update(Shop.objects.filter(pk=shop.pk), lat=89.0)
    makers.run_on_commit()
    assert near() == []
    rebuilding.rebuild()
    assert near() == []


def test_an_edit_in_the_admin_shows_on_the_page_at_once(
    shop: Shop, manager: User, client: Client, django_capture_on_commit_callbacks: object
) -> None:
    assert client.get(shop.get_absolute_url()).status_code == 200
    changes.update(Shop.objects.filter(pk=shop.pk), name_en="Renamed by hand")
    makers.run_on_commit()
    assert b"Renamed by hand" in client.get(shop.get_absolute_url()).content
    client.force_login(manager)
    page = client.get(f"/admin/shops/shop/{shop.pk}/change/").context
    form = page["adminform"].form
    filled = {name: form[name].value() for name in form.fields if form[name].value() not in (None, "")}
    fields = filled | {"name_en": "Renamed in the admin", "price": "88.00", "picture": ""}
    for inline in page["inline_admin_formsets"]:
        prefix = inline.formset.prefix
        fields |= {f"{prefix}-TOTAL_FORMS": "0", f"{prefix}-INITIAL_FORMS": "0"}
    answer = client.post(f"/admin/shops/shop/{shop.pk}/change/", fields)
    assert answer.status_code == 302
    makers.run_on_commit()
    found = shop_cache.get(shop.pk)
    assert found
    assert found.name == "Renamed in the admin"


@pytest.mark.both_databases
def test_a_renamed_type_shows_on_the_page_at_once(shop: Shop) -> None:
    assert shop_cache.get(shop.pk)
    shop.type.name_en = "Feasts"
    changes.save_type(shop.type)
    makers.run_on_commit()
    found = shop_cache.get(shop.pk)
    assert found
    assert found.type.name == "Feasts"


@pytest.mark.both_databases
def test_flushall_then_rebuild_restores_the_lists(shop: Shop) -> None:
    makers.shops(30)
    makers.commit_and_index()
    before = {sort: [n.pk for n in nearby.load_page(Query(at=HERE, sort=sort)).items] for sort in Sort}
    client.get().flushall()
    call_command("rebuild_redis", verbosity=0)
    after = {sort: [n.pk for n in nearby.load_page(Query(at=HERE, sort=sort)).items] for sort in Sort}
    assert after == before
    assert client.get().exists(keys.INDEX_COMPLETE())


def test_a_rebuild_drops_what_sql_no_longer_has(shop: Shop) -> None:
    client.get().geoadd(keys.GEO(type=keys.ALL_TYPES), (makers.LNG, makers.LAT, 999_999))
    client.get().geoadd(keys.GEO(type=4_711), (makers.LNG, makers.LAT, 999_999))
    rebuilding.rebuild()
    assert client.get().zrange(keys.GEO(type=keys.ALL_TYPES), 0, -1) == [str(shop.pk)]


def test_a_new_site_begins_with_an_empty_index_and_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    client.get().delete(keys.INDEX_COMPLETE())
    tasks.complete_index()
    assert client.get().exists(keys.INDEX_COMPLETE())
    assert caplog.records == []


@pytest.mark.both_databases
def test_the_scheduled_repair_restores_a_lost_index(shop: Shop) -> None:
    client.get().delete(keys.GEO(type=keys.ALL_TYPES), keys.INDEX_COMPLETE())
    tasks.complete_index()
    assert near() == [shop.pk]


def test_a_rebuild_that_died_leaves_nothing_for_long(shop: Shop) -> None:
    rebuilding._write_batch([shop], "abandoned")
    left = client.get().ttl(keys.BUILD_GEO(build="abandoned", type=keys.ALL_TYPES))
    assert 0 < left <= timedelta(hours=1).total_seconds()
