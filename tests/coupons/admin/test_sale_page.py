"""A sale's page in the admin: edits move SQL and Redis together, and what can't be is refused in words."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons.catalog import offers
from apps.coupons.claims import seckill
from apps.coupons.models import FlashSale
from tests import markup
from tests.coupons.conftest import MakeSale


def post_terms(boss: Client, sale: FlashSale, **changes: Any) -> Any:
    held = {
        "terms": "1",
        "units": sale.stock_total,
        "begins_at": timezone.localtime(sale.begins_at).strftime("%Y-%m-%dT%H:%M"),
        "ends_at": timezone.localtime(sale.ends_at).strftime("%Y-%m-%dT%H:%M"),
    }
    return boss.post(f"/admin/coupons/flashsale/{sale.pk}/change/", held | changes)


def read_sale_state(sale: FlashSale) -> offers.LiveState:
    sale.refresh_from_db()
    return offers.read_live_states([sale])[sale.pk]


@pytest.mark.django_db(transaction=True)
def test_more_units_reach_sql_and_redis_while_the_sale_runs(boss: Client, sale: FlashSale) -> None:
    began, ends = sale.begins_at, sale.ends_at
    assert post_terms(boss, sale, units=25).status_code == 302
    assert (read_sale_state(sale).units, sale.stock_left) == (25, 25)
    assert (sale.begins_at, sale.ends_at) == (began, ends), "times that nobody touched keep their seconds"


@pytest.mark.django_db(transaction=True)
def test_fewer_than_sold_is_refused_with_a_reason(
    boss: Client, sale: FlashSale, alice: User, bob: User
) -> None:
    for person in (alice, bob):
        seckill.claim(sale.pk, user_id=person.pk, request_token=f"t{person.pk}")
    answer = post_terms(boss, sale, units=1)
    assert "below the number already sold" in str(answer.context["form"].errors["units"])
    assert (read_sale_state(sale).units, sale.stock_total) == (8, 10)


@pytest.mark.django_db(transaction=True)
def test_the_end_of_a_running_sale_can_move(boss: Client, sale: FlashSale) -> None:
    later = timezone.localtime(sale.ends_at) + timedelta(hours=1)
    post_terms(boss, sale, ends_at=later.strftime("%Y-%m-%dT%H:%M"))
    assert read_sale_state(sale).is_open
    assert sale.ends_at.strftime("%H:%M") == later.astimezone(sale.ends_at.tzinfo).strftime("%H:%M")


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_withdrawn_sale_refuses_buyers_until_it_is_offered_again(
    boss: Client, sale: FlashSale, alice: User
) -> None:
    url = f"/admin/coupons/flashsale/{sale.pk}/change/"
    boss.post(url, {"withdraw": "1"})
    refused = seckill.claim(sale.pk, user_id=alice.pk, request_token="a")
    page = markup.compact(boss.get(url).content)
    assert re.search(r"<dt>Phase</dt>\s*<dd[^>]*>\s*off the site\s*</dd>", page)
    assert "off the site" in boss.get("/admin/coupons/flashsale/").content.decode()
    boss.post(url, {"offer": "1"})
    taken = seckill.claim(sale.pk, user_id=alice.pk, request_token="a")
    assert refused.outcome is seckill.Outcome.NOT_FOUND
    assert taken.outcome is seckill.Outcome.ACCEPTED


@pytest.mark.django_db(transaction=True)
def test_the_sale_of_a_hidden_shop_says_why_nobody_can_grab_it(boss: Client, sale: FlashSale) -> None:
    boss.post(
        "/admin/shops/shop/",
        {"action": "unlist_them", "_selected_action": [sale.voucher.shop_id]},
        follow=True,
    )
    assert not read_sale_state(sale).is_open
    page = markup.compact(boss.get(f"/admin/coupons/flashsale/{sale.pk}/change/").content)
    assert "Its shop is hidden from the site. The sale goes on when the shop is shown again." in page
    assert re.search(r"<dt>Phase</dt>\s*<dd[^>]*>\s*off the site\s*</dd>", page)


@pytest.mark.django_db(transaction=True)
def test_a_sale_that_redis_lost_can_be_loaded_again(boss: Client, make_sale: MakeSale) -> None:
    sale = make_sale(loaded=False)
    page = boss.get(f"/admin/coupons/flashsale/{sale.pk}/change/").content.decode()
    assert "opens with the first buyer" in page
    boss.post(f"/admin/coupons/flashsale/{sale.pk}/change/", {"load": "1"})
    assert read_sale_state(sale).is_open


@pytest.mark.django_db
def test_a_sale_that_is_not_there_is_not_found(boss: Client) -> None:
    assert boss.get("/admin/coupons/flashsale/999/change/").status_code == 404
    assert boss.get("/admin/coupons/flashsale/nonsense/change/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_the_list_asks_redis_once_for_all_sales(
    boss: Client, make_sale: MakeSale, django_assert_max_num_queries: Any
) -> None:
    for _ in range(12):
        make_sale()
    with django_assert_max_num_queries(8):
        page = boss.get("/admin/coupons/flashsale/").content.decode()
    assert page.count("open, 10 left") == 12
