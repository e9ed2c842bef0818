from celery import shared_task

from apps.coupons import orders, reconcile


@shared_task
def close_overdue_orders() -> int:
    """Every few seconds: units of orders that nobody paid go back on sale."""
    return orders.close_overdue()


@shared_task
def reconcile_sales() -> bool:
    """Every few minutes: prove that Redis and SQL agree, repair where they don't, keep the result."""
    return reconcile.run_and_keep(fix=True).clean
