from celery import shared_task

from apps.coupons import orders, reconcile, reminders_told


@shared_task
def close_overdue_orders() -> int:
    """Every few seconds: units of orders that nobody paid go back on sale."""
    return orders.close_overdue()


@shared_task
def reconcile_sales() -> bool:
    """Every few minutes: prove that Redis and SQL agree, repair where they don't, keep the result."""
    report = reconcile.run_and_keep(fix=True)
    if not report.clean:
        reconcile.tell_managers(report)
    return report.clean


@shared_task
def tell_of_sale(sale_id: int) -> int:
    """Five minutes before a sale begins: whoever asked for it is told."""
    return reminders_told.tell(sale_id)


@shared_task
def tell_of_missed_sales() -> int:
    """Every half minute: those whom a lost job left untold."""
    return reminders_told.tell_missed()
