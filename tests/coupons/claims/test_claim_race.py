from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from apps.coupons import keys
from apps.coupons.claims import entries, seckill
from apps.coupons.claims.seckill import Outcome
from tests.coupons.conftest import MakeSale


def test_a_hundred_buyers_of_ten_units_make_exactly_ten_orders(make_sale: MakeSale) -> None:
    sale = make_sale(units=10)
    with ThreadPoolExecutor(32) as pool:
        answers = list(
            pool.map(lambda user: seckill.claim(sale.pk, user_id=user, request_token="t"), range(1, 101))
        )
    assert Counter(answer.outcome for answer in answers) == {Outcome.ACCEPTED: 10, Outcome.SOLD_OUT: 90}
    assert seckill.read_stock(sale.pk) == 0
    waiting = list(entries.iter_waiting_orders(keys.for_sale(sale.pk).orders))
    assert len({one.order_id for one in waiting}) == 10


def test_a_hundred_buyers_of_three_sales_in_one_call_each_make_exactly_their_orders(
    make_sale: MakeSale,
) -> None:
    """Seventeen in a row: the last one shares the partition of the first."""
    sales = [make_sale(units=10).pk for _ in range(keys.PARTITIONS + 1)]
    sales = [sales[0], sales[-1], sales[5]]
    with ThreadPoolExecutor(32) as pool:
        answers = list(
            pool.map(lambda user: seckill.claim_many({pk: [(user, "t")] for pk in sales}), range(1, 101))
        )
    for of_sale in zip(*answers, strict=True):
        assert Counter(one.outcome for one in of_sale) == {Outcome.ACCEPTED: 10, Outcome.SOLD_OUT: 90}
    assert len({one.order_id for said in answers for one in said if one.order_id}) == 30
    assert [seckill.read_stock(pk) for pk in sales] == [0, 0, 0]


def test_one_person_with_a_hundred_tabs_gets_one_unit(make_sale: MakeSale) -> None:
    sale = make_sale(units=10)
    with ThreadPoolExecutor(32) as pool:
        answers = list(
            pool.map(lambda tab: seckill.claim(sale.pk, user_id=1, request_token=f"tab{tab}"), range(100))
        )
    assert Counter(answer.outcome for answer in answers) == {Outcome.ACCEPTED: 1, Outcome.ALREADY_BOUGHT: 99}
    assert len({answer.order_id for answer in answers}) == 1


def test_the_last_unit_has_one_buyer(make_sale: MakeSale) -> None:
    for _ in range(20):
        sale = make_sale(units=1)
        with ThreadPoolExecutor(16) as pool:
            answers = list(
                pool.map(
                    lambda user, pk=sale.pk: seckill.claim(pk, user_id=user, request_token="t"), range(1, 33)
                )
            )
        assert sum(answer.outcome is Outcome.ACCEPTED for answer in answers) == 1
