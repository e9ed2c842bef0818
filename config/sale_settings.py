"""Settings of flash sales: who answers a claim, and what keeps an accepted one."""

from django.core.exceptions import ImproperlyConfigured

from config.environment import REDIS_URL, env

#: Whether the event loop answers the flash sale, in front of Django (config/asgi.py).
SALE_GATEWAY = env.bool("SALE_GATEWAY", default=True)
#: Most accepted claims of a partition that are not in SQL yet; past it, the partition answers "busy".
SALE_IN_FLIGHT_LIMIT = env.int("SALE_IN_FLIGHT_LIMIT", default=100_000)
#: Seconds for which a sale that Redis has lost takes back orders by their receipts, and sells nothing.
SALE_HOLD_SECONDS = env.float("SALE_HOLD_SECONDS", default=5)
#: Replicas of Redis that must have an accepted claim before its buyer hears of it (coupons.claims.replicas).
SALE_REPLICAS = env.int("SALE_REPLICAS", default=0)
if SALE_REPLICAS < 0 or (SALE_REPLICAS and REDIS_URL.startswith("redis+cluster:")):
    raise ImproperlyConfigured(
        f"SALE_REPLICAS is {SALE_REPLICAS}: set it to a number of replicas of one server or of the master "
        "that Sentinels name; on a Redis Cluster to 0, where WAIT would ask one node for all."
    )
#: Idle seconds after which another consumer takes over a stream entry; longer than any batch takes.
ORDER_RECLAIM_SECONDS = env.float("ORDER_RECLAIM_SECONDS", default=10)
