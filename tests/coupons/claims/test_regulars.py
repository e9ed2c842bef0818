"""A flash sale for people with some check-ins in a row: nobody else gets one, at any door."""

import json
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.coupons import keys
from apps.coupons.admin.sale_forms import TermsForm
from apps.coupons.catalog import sales
from apps.coupons.claims import loading, seckill
from apps.coupons.claims.seckill import ClaimAnswer, Outcome
from apps.coupons.gateway.route import ClaimRoute
from apps.coupons.models import FlashSale, VoucherOrder
from apps.coupons.reconcile import sale_invariants
from apps.coupons.terms import Terms
from apps.signins import clock
from apps.signins.models import Standing
from tests import asgi_client
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory
from tests.protocol_client import as_asgi_application
from tests.races import race

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture
def sale_for_regulars(make_sale: MakeSale) -> FlashSale:
    """Ten units, running, for people with seven check-ins in a row."""
    return make_sale(streak_days=7)


def check_in(user: User, days: int, *, ago: int = 0) -> None:
    """Give a person that many check-ins in a row, the last so many days ago."""
    last = clock.today() - timedelta(days=ago)
    Standing.objects.update_or_create(pk=user.pk, defaults={"streak": days, "last_day": last})


def claim(sale: FlashSale, user: User, token: str = "t") -> ClaimAnswer:
    return seckill.claim(sale.pk, user_id=user.pk, request_token=token)


@pytest.mark.parametrize(
    ("days", "ago", "to_go"), [(7, 0, 0), (30, 1, 0), (6, 0, 1), (1, 1, 6), (30, 2, 7), (0, 0, 7)]
)
def test_every_door_counts_the_days_alike(
    sale_for_regulars: FlashSale, alice: User, days: int, ago: int, to_go: int
) -> None:
    if days:
        check_in(alice, days, ago=ago)
    path = f"/api/vouchers/{sale_for_regulars.pk}/seckill"
    bearer = ("authorization", f"Bearer {tokens.issue(alice, kind=AccessToken.Kind.API)}")
    door = as_asgi_application(ClaimRoute())

    def ask() -> Any:
        return asgi_client.send_request(door, path, headers=[bearer, ("idempotency-key", "t")])

    by_loop = asgi_client.run_together(ask)[0]
    by_view = buyers.api_client(alice).post(path, headers={"idempotency-key": "t"})
    form = buyers.browser_client(alice).post(
        f"/vouchers/{sale_for_regulars.pk}/grab/", {"request_token": "t"}
    )
    page = buyers.browser_client(alice).get("/api/me/page", {"sale": sale_for_regulars.pk}).json()
    assert by_loop.status == by_view.status_code == (409 if to_go else 201)
    assert page["sale"]["days_to_go"] == to_go
    if to_go:
        assert by_loop.body == by_view.content.decode()
        assert (json.loads(by_loop.body)["code"], json.loads(by_loop.body)["days_to_go"]) == (
            "streak_too_short",
            to_go,
        )
        assert form["location"].endswith(f"?reason=streak_too_short&left={to_go}")
        assert str(to_go) in buyers.browser_client(alice).get(form["location"]).content.decode()
    else:
        assert json.loads(by_loop.body)["order_id"] == json.loads(by_view.content)["order_id"]
        assert form["location"] == f"/orders/{json.loads(by_loop.body)['order_id']}/"
    assert seckill.read_stock(sale_for_regulars.pk) == (10 if to_go else 9)


def test_a_race_gives_nothing_to_others_and_all_to_regulars(make_sale: MakeSale) -> None:
    people = UserFactory.bulk_create(24)
    for user in people[::2]:
        check_in(user, 7)
    for units in (5, 20):
        sale = make_sale(units=units, streak_days=7)
        answers: list[Any] = race(24, lambda number: claim(sale, people[number]))  # noqa: B023
        accepted = {number for number, one in enumerate(answers) if one.outcome is Outcome.ACCEPTED}
        assert len(accepted) == min(units, 12)
        assert all(number % 2 == 0 for number in accepted)
        outcomes = Counter(answer.outcome for answer in answers)
        assert not outcomes[Outcome.STREAK_UNKNOWN]
        buyers.drain_queue()
        assert VoucherOrder.objects.filter(voucher_id=sale.pk).count() == len(accepted)


def test_an_edit_to_regulars_ends_the_sale_for_others_before_it_is_committed(
    sale: FlashSale, alice: User, bob: User
) -> None:
    assert claim(sale, alice).outcome is Outcome.ACCEPTED
    with transaction.atomic():
        sales.change(sale.pk, replace(Terms.from_sale(sale), streak_days=3))
        assert claim(sale, bob) == ClaimAnswer(Outcome.STREAK_TOO_SHORT, days_to_go=3)
    assert claim(sale, bob) == ClaimAnswer(Outcome.STREAK_TOO_SHORT, days_to_go=3)
    assert claim(sale, alice).outcome is Outcome.ACCEPTED, "who has one keeps it"
    sales.change(sale.pk, replace(Terms.from_sale(sale), streak_days=0))
    assert claim(sale, bob).outcome is Outcome.ACCEPTED


def test_refusals_and_repetitions_ask_sql_nothing(make_sale: MakeSale, alice: User, bob: User) -> None:
    sale, gone = make_sale(streak_days=1), make_sale(sold_out=True, streak_days=1)
    check_in(alice, 1)
    assert claim(sale, alice).outcome is Outcome.ACCEPTED
    with CaptureQueriesContext(connection) as asked:
        assert claim(sale, alice).outcome is Outcome.ACCEPTED
        assert claim(sale, alice, "again").outcome is Outcome.ALREADY_BOUGHT
        assert claim(gone, bob).outcome is Outcome.SOLD_OUT
    assert not asked.captured_queries


def test_a_sale_that_an_older_release_loaded_is_found_and_loaded_again(
    sale_for_regulars: FlashSale, guarded_redis: redis.Redis, bob: User
) -> None:
    guarded_redis.hdel(keys.for_sale(sale_for_regulars.pk).sale, "streak_days")
    assert [one.rule for one in sale_invariants.find_violations(sale_for_regulars)] == ["I26 rules differ"]
    loading.load(sale_for_regulars.pk, force=True)
    assert not list(sale_invariants.find_violations(sale_for_regulars))
    assert claim(sale_for_regulars, bob).outcome is Outcome.STREAK_TOO_SHORT


@pytest.mark.parametrize("days", [-1, 91])
def test_the_form_takes_zero_to_ninety_days(sale: FlashSale, days: int) -> None:
    with pytest.raises(ValidationError) as refused:
        sales.change(sale.pk, replace(Terms.from_sale(sale), streak_days=days))
    assert "streak_days" in refused.value.message_dict
    form = TermsForm(
        {"units": 10, "begins_at": "", "ends_at": "2100-01-01T10:00", "streak_days": days}, sale=sale
    )
    assert "streak_days" in form.errors


def test_a_form_sets_the_days_and_one_without_them_keeps_them(sale: FlashSale) -> None:
    for sent, kept in (({"streak_days": 7}, 7), ({}, 7), ({"streak_days": 0}, 0)):
        sale = FlashSale.objects.select_related("voucher").get(pk=sale.pk)
        ends = (sale.ends_at + timedelta(hours=9)).strftime("%Y-%m-%dT%H:%M")
        form = TermsForm({"units": 10, "ends_at": ends} | sent, sale=sale)
        assert form.is_valid(), form.errors
        assert form.terms.streak_days == kept
        sales.change(sale.pk, form.terms)
