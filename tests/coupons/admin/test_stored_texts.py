"""What the site's processes have written down in English, staff read in their language."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.models import DeadLetter, FlashSale, Payment, Reconciliation
from apps.coupons.orders import dead_letters
from apps.coupons.reconcile import reconciliation
from apps.redis_kit import client as redis_client
from tests.factories import OutgoingMessageFactory, PaymentFactory

pytestmark = pytest.mark.django_db(transaction=True)


def read(boss: Client, path: str, **fields: Any) -> str:
    return boss.get(path, fields, headers={"accept-language": "zh-CN"}).content.decode()


def test_violations_are_read_in_chinese_and_stored_in_english(boss: Client, sale: FlashSale) -> None:
    redis_client.get().set(keys.for_sale(sale.pk).stock, "3", keepttl=True)
    reconciliation.run_and_save()
    stored = Reconciliation.objects.get()
    assert {one["rule"] for one in stored.violations} == {"I5 stock doesn't add up"}
    page = read(boss, f"/admin/coupons/reconciliation/{stored.pk}/change/")
    assert "I5 库存对不上" in page
    assert "总份数 = 有效订单 + Redis 库存 + 途中订单" in page


def test_reasons_of_dead_letters_are_read_in_chinese(boss: Client, sale: FlashSale, alice: User) -> None:
    for number, reason in enumerate(
        ("MalformedEntry: version '2' is not '1'", "delivered 5 times and never finished", "odd")
    ):
        dead_letters.record_failure("s", f"{number}-1", {"v": "9"}, reason=reason, deliveries=5)
    for path in ("/admin/coupons/deadletter/", "/admin/operation/"):
        page = read(boss, path)
        assert "MalformedEntry: 版本是 &#x27;2&#x27;，不是 &#x27;1&#x27;" in page
        assert "投递 5 次仍未完成" in page
    first = DeadLetter.objects.order_by("pk")[0]
    assert "版本是" in read(boss, f"/admin/coupons/deadletter/{first.pk}/change/")


def test_reasons_of_payments_and_errors_of_messages_are_read_in_chinese(boss: Client) -> None:
    payment = PaymentFactory.create()
    Payment.objects.update(
        reason="reconcile: the order was paid twice", trouble="the callback says 1, asked were 2"
    )
    page = read(boss, f"/admin/coupons/payment/{payment.pk}/change/")
    assert "对账：订单被重复付款" in page
    assert "回调金额为 1，应为 2" in page
    message = OutgoingMessageFactory.create(last_error="the gateway gave no answer within 5 seconds")
    assert "网关出错：5 秒内没有应答" in read(boss, f"/admin/outbox/message/{message.pk}/change/")
