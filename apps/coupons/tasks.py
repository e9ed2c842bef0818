"""Celery tasks of sales and orders."""

import time

from celery import shared_task
from django.conf import settings

from apps.coupons.catalog import findable_sales, reminders, vouchers
from apps.coupons.claims import loading
from apps.coupons.orders import closing, consuming, lifecycle
from apps.coupons.payments import refunds
from apps.coupons.reconcile import reconciliation
from apps.redis_kit import locks


@shared_task
def close_overdue_orders() -> int:
    """At deadlines, and every few seconds: cancel unpaid orders past them; their stock goes back on sale.

    It ends after closing.SLICE_SECONDS and leaves what is left to another run; returns the number of its own.
    """
    closed, ends_at = 0, time.monotonic() + closing.SLICE_SECONDS
    while some := lifecycle.close_batch():
        closed += some
        if time.monotonic() >= ends_at:
            closing.enqueue_further_run()
            break
    return closed


@shared_task
def apply_voucher_dates() -> int:
    """At the dates of vouchers, and every ten seconds: offer, withdraw, and refund what expired unused.

    Shops whose last sale is over are no longer found as having a coupon.
    """
    return vouchers.apply_due() + refunds.refund_expired() + findable_sales.end_past()


@shared_task
def reconcile_sales() -> bool | None:
    """Check every few minutes that Redis and SQL agree, repair differences, and save the result.

    Whether they agreed, or None when another process checks them already.
    """
    return locks.run_exclusively(
        "coupons.reconcile_sales", _reconcile_sales, lease=settings.CELERY_TASK_TIME_LIMIT
    )


@shared_task
def recover_sales() -> None:
    """Every few seconds: what consumers do at each look, in case none is alive."""
    consuming.recover()


@shared_task
def load_sale(sale_id: int) -> bool:
    """When the hold of a sale that Redis had lost ends: it is counted again, and sells on."""
    return loading.load(sale_id)


@shared_task
def tell_of_sale(sale_id: int) -> int:
    """Five minutes before a sale begins: notify the people with a reminder."""
    return reminders.deliver_for_sale(sale_id)


@shared_task
def tell_of_missed_sales() -> int:
    """Every ten seconds: send the reminders that a lost job left unsent."""
    return reminders.deliver_missed()


def _reconcile_sales() -> bool:
    report = reconciliation.run_and_save(fix=True)
    reconciliation.save_results(report)
    if not report.clean:
        reconciliation.email_managers(report)
    return report.clean
