import multiprocessing
import os
import signal
import subprocess

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from pytest_django import Settings

from apps.accounts.models import User
from apps.coupons.claims import seckill
from apps.coupons.models import FlashSale, VoucherOrder
from apps.coupons.orders import consuming
from apps.redis_kit import client
from tests.sites import wait_until


def children_of(pid: int) -> set[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return {int(line) for line in found.stdout.split()}


@pytest.mark.django_db(transaction=True)
def test_a_consumer_that_dies_is_replaced_and_all_stop_when_told(
    sale: FlashSale, alice: User, settings: Settings
) -> None:
    settings.ORDER_RECLAIM_SECONDS = 0.5
    connections.close_all()
    client.close_all()
    pool = multiprocessing.get_context("fork").Process(target=consuming.serve, args=(2,))
    pool.start()
    assert pool.pid
    pid = pool.pid
    try:
        wait_until(lambda: len(children_of(pid)) == 2, seconds=60, otherwise="two consumers didn't start")
        first = children_of(pid)
        os.kill(min(first), signal.SIGKILL)
        claim = seckill.claim(sale.pk, user_id=alice.pk, request_token="t")
        wait_until(
            lambda: VoucherOrder.objects.filter(pk=claim.order_id or 0).exists(),
            seconds=60,
            otherwise="the order has no row",
        )
        wait_until(
            lambda: len(children_of(pid)) == 2 and children_of(pid) != first,
            seconds=60,
            otherwise="the dead consumer was not replaced",
        )
    finally:
        pool.terminate()
        pool.join(60)
    assert pool.exitcode == 0
    assert children_of(pid) == set()


def test_a_senseless_number_of_processes_is_refused() -> None:
    for wrong in ("0", "-1", "65"):
        with pytest.raises(CommandError, match="1 to 64"):
            call_command("consume_orders", "--processes", wrong)
