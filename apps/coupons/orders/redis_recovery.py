"""What the consumers do about a Redis that may be older than it was: restarted, promoted, another copy."""

import logging
from contextlib import suppress
from typing import Any, cast

from redis.cluster import RedisCluster
from redis.exceptions import ResponseError

from apps.coupons.claims import loading
from apps.coupons.orders import queued_orders
from apps.queues import owed
from apps.redis_kit import client
from apps.web.problems.translation import SQL_UNAVAILABLE

logger = logging.getLogger(__name__)


def recover() -> None:
    """Load the sales that this run of the server may not sell from, and drop queued orders that have rows.

    What commits owe is done as well, in case no worker is alive. While SQL is away nothing happens: the sales
    stay closed, and the next call loads them. Raises client.UNAVAILABLE.
    """
    try:
        owed.sweep()
        if loading.load_unusable():
            queued_orders.rebuild(lambda done, total: None)
            _rewrite_file()
    except SQL_UNAVAILABLE as error:
        logger.warning("sales are loaded later, SQL is away: %s", error)


def _rewrite_file() -> None:
    """Have the server write its append-only file anew, if it lets us.

    A server that loads a file whose end was cut inside a transaction keeps the transaction's begin in the
    file. At the next start it runs together with what was written since, and lost orders are there again.
    """
    connected = client.get()
    target = {"target_nodes": RedisCluster.PRIMARIES} if client.is_cluster(connected) else {}
    with suppress(ResponseError):
        cast(Any, connected).bgrewriteaof(**target)
