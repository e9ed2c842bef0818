"""What the coupons tell the monitoring: their health check and their panels."""

from apps.coupons import consuming, dashboard, invariants
from apps.monitoring import health, panels

#: An order that waits for longer has no living consumer.
OLDEST_MS = int(invariants.OLDEST_IN_FLIGHT.total_seconds() * 1000)

_SALES, _ORDERS, _LETTERS = "coupons.view_flashsale", "coupons.view_voucherorder", "coupons.view_deadletter"


def order_queue() -> health.Result:
    """Accepted orders reach SQL in time."""
    backlog = consuming.backlog()
    waiting = backlog.lag + backlog.pending
    return health.Result(
        backlog.oldest_ms < OLDEST_MS, f"{waiting} waiting, the oldest for {backlog.oldest_ms / 1000:.1f} s"
    )


def register() -> None:
    """Called when the app is ready."""
    health.register("order_queue", order_queue)
    panels.register(10, "admin/coupons/panels/tiles.html", dashboard.tiles, permission=_ORDERS)
    panels.register(20, "admin/coupons/panels/minutes.html", dashboard.orders_per_minute, permission=_ORDERS)
    panels.register(30, "admin/coupons/panels/stock.html", dashboard.stock_left, permission=_SALES)
    panels.register(40, "admin/coupons/panels/sales.html", dashboard.sales, permission=_SALES)
    panels.register(50, "admin/coupons/panels/days.html", dashboard.paid_per_day, permission=_ORDERS)
    panels.register(60, "admin/coupons/panels/queue.html", dashboard.queue, permission=_ORDERS)
    panels.register(70, "admin/coupons/panels/letters.html", dashboard.letters, permission=_LETTERS)
