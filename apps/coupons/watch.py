"""What the coupons tell the monitoring: their health check and their panels."""

from apps.coupons import consuming, dashboard, invariants
from apps.monitoring import health, panels

#: An order that waits for longer has no living consumer.
OLDEST_MS = int(invariants.OLDEST_IN_FLIGHT.total_seconds() * 1000)

_SALES, _ORDERS, _LETTERS = "coupons.view_flashsale", "coupons.view_voucherorder", "coupons.view_deadletter"
#: Order, template, what fills it, who may see it, and whether it has nothing to say without Redis.
_PANELS = (
    (10, "tiles", dashboard.tiles, _ORDERS, False),
    (20, "minutes", dashboard.orders_per_minute, _ORDERS, False),
    (30, "stock", dashboard.stock_left, _SALES, True),
    (40, "sales", dashboard.sales, _SALES, False),
    (50, "days", dashboard.paid_per_day, _ORDERS, False),
    (60, "queue", dashboard.queue, _ORDERS, True),
    (70, "letters", dashboard.letters, _LETTERS, False),
)


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
    for order, name, context, permission, needs_redis in _PANELS:
        template = f"admin/coupons/panels/{name}.html"
        panels.register(order, template, context, permission=permission, needs_redis=needs_redis)
