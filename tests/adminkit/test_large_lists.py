"""Long lists of the admin: how many rows they say, and that a deep page costs what the first one does."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.adminkit import list_pages
from apps.mailbox.models import Audience
from apps.shops.admin import list_city_names
from tests.factories import BroadcastFactory, CityFactory, UserFactory, VoucherFactory, VoucherOrderFactory
from tests.shops import makers

PEOPLE, ORDERS = "/admin/accounts/user/", "/admin/coupons/voucherorder/"


def read(client: Client, path: str, language: str = "en") -> str:
    answer = client.get(path, headers={"accept-language": language})
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


@pytest.fixture
def few_counted(monkeypatch: pytest.MonkeyPatch) -> int:
    """Two pages and a half, since a test has no time for ten thousand rows."""
    monkeypatch.setattr(list_pages, "MOST_COUNTED", 50)
    return 50


@pytest.mark.both_databases
@pytest.mark.django_db
def test_a_count_is_exact_up_to_the_bound_and_more_than_it_beyond(boss: Client, few_counted: int) -> None:
    UserFactory.bulk_create(few_counted - User.objects.count())
    assert f"{few_counted} people" in read(boss, PEOPLE)
    assert "more than" not in read(boss, PEOPLE)
    UserFactory.create()
    assert f"more than {few_counted} people" in read(boss, PEOPLE)
    assert f"超过 {few_counted}" in read(boss, PEOPLE, "zh-hans")
    found = User.objects.order_by("pk").last()
    assert found is not None
    assert "1 found" in read(boss, f"{PEOPLE}?q={found.phone[1:]}")


@pytest.mark.django_db
def test_every_row_is_on_some_page_and_each_page_costs_the_same(boss: Client, few_counted: int) -> None:
    people = UserFactory.bulk_create(6 * 20 - User.objects.count())
    queries = []
    # The counted rows end on the third page, from which more pages are named.
    for page in (1, 3, 6):
        with CaptureQueriesContext(connection) as sent:
            text = read(boss, f"{PEOPLE}?p={page}")
        queries.append(len(sent))
    assert people[0].nickname in text
    assert len(set(queries[1:])) == 1
    assert not [one["sql"] for one in sent if "GROUP BY" in one["sql"] and "LIMIT 20" in one["sql"]]
    whole = [one["sql"] for one in sent if '"accounts_user"."nickname"' in one["sql"]]
    assert not [sql for sql in whole if "OFFSET" in sql], "rows are read by their ids"
    assert boss.get(f"{PEOPLE}?p=7").status_code == 302
    assert boss.get(f"{PEOPLE}?p={'9' * 30}").status_code == 302
    for order in (1, 4, -4):
        assert people[0].nickname in read(boss, f"{PEOPLE}?o={order}&q={people[0].phone[1:]}")


@pytest.mark.both_databases
@pytest.mark.django_db
def test_an_order_is_found_by_its_buyers_phone_by_an_index(boss: Client, alice: User, bob: User) -> None:
    voucher = VoucherFactory.create()
    bought = VoucherOrderFactory.create(user=alice, voucher=voucher)
    given = VoucherOrderFactory.create(user=bob, holder=alice, voucher=voucher)
    VoucherOrderFactory.create(user=bob, voucher=VoucherFactory.create())
    with CaptureQueriesContext(connection) as sent:
        text = read(boss, f"{ORDERS}?q={alice.phone[1:]}")
    assert "2 found" in text
    assert f"/{bought.pk}/change/" in text
    assert f"/{given.pk}/change/" in text
    assert not [one["sql"] for one in sent if "voucherorder" in one["sql"] and 'phone" =' in one["sql"]]


@pytest.mark.django_db
def test_people_are_filtered_by_the_sites_cities_however_they_write_them(boss: Client) -> None:
    CityFactory.create()
    english, chinese = UserFactory.create(city="Hangzhou"), UserFactory.create(city="杭州市")
    other = UserFactory.create(city="Rome")
    text = read(boss, f"{PEOPLE}?city=Hangzhou")
    assert english.nickname in text
    assert chinese.nickname in text
    assert other.nickname not in text


@pytest.mark.both_databases
@pytest.mark.django_db
def test_the_cities_of_shops_are_read_by_an_index(boss: Client) -> None:
    names = [
        ("Hangzhou", "杭州"),
        ("Rome", ""),
        ("Hangzhou", ""),
        ("", "苏州"),
        ("Hangzhou", "杭州"),
        ("", ""),
    ]
    makers.shops_of({"city_en": english, "city_zh": chinese} for english, chinese in names)
    with CaptureQueriesContext(connection) as sent:
        assert set(list_city_names()) == set(names)
        assert len(list(list_city_names())) == 5
    if connection.vendor == "sqlite":
        for one in sent:
            with connection.cursor() as cursor:
                plan = str(cursor.execute(f"EXPLAIN QUERY PLAN {one['sql']}").fetchall())
            assert "COVERING INDEX shops_by_city" in plan
            assert "TEMP B-TREE" not in plan
    for language, seen in (("en", ("Hangzhou", "Rome", "苏州")), ("zh-hans", ("杭州", "Rome", "苏州"))):
        text = read(boss, "/admin/shops/shop/", language)
        assert all(f" {name} " in text for name in seen)
    assert "3 found" in read(boss, "/admin/shops/shop/?city=Hangzhou&q=Shop")


@pytest.mark.both_databases
@pytest.mark.django_db
def test_a_list_of_messages_counts_no_people_for_a_row(boss: Client) -> None:
    queries = []
    # The first page of a process also reads what all pages share.
    read(boss, "/admin/mailbox/broadcast/")
    for audience in (Audience.EVERYBODY, Audience.CITY):
        BroadcastFactory.create_batch(5, audience=audience, city="Hangzhou")
        with CaptureQueriesContext(connection) as sent:
            text = read(boss, "/admin/mailbox/broadcast/")
        queries.append(len(sent))
        assert str(audience.label) in text
    assert queries[0] == queries[1]
