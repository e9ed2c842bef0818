from celery import shared_task

from apps.coupons.catalog import reminder_delivery
from apps.coupons.orders import lifecycle
from apps.coupons.reconcile import reconciliation


@shared_task
def close_overdue_orders() -> int:
    """Every few seconds: units of orders that nobody paid go back on sale."""
    return lifecycle.close_overdue()


@shared_task
def reconcile_sales() -> bool:
    """Every few minutes: prove that Redis and SQL agree, repair where they don't, keep the result."""
    report = reconciliation.run_and_save(fix=True)
    if not report.clean:
        reconciliation.email_managers(report)
    return report.clean


@shared_task
def tell_of_sale(sale_id: int) -> int:
    """Five minutes before a sale begins: whoever asked for it is told."""
    return reminder_delivery.deliver_for_sale(sale_id)


@shared_task
def tell_of_missed_sales() -> int:
    """Every half minute: those whom a lost job left untold."""
    return reminder_delivery.deliver_missed()
