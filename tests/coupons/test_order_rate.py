"""The rate of orders by which the page about persistence reckons losses."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.coupons.models import VoucherOrder
from apps.coupons.templatetags.coupons_dashboard import orders_of_last_hour


@pytest.mark.both_databases
@pytest.mark.django_db
def test_orders_of_the_last_hour_are_counted(order: VoucherOrder) -> None:
    assert orders_of_last_hour() == 1
    VoucherOrder.objects.filter(pk=order.pk).update(created_at=timezone.now() - timedelta(hours=2))
    assert orders_of_last_hour() == 0
