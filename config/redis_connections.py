"""The Redis connections of a process, each with a deadline of its own."""

from django.core.exceptions import ImproperlyConfigured

from apps.queues import broker
from config.celery_settings import BROKER_URL
from config.environment import REDIS_URL, env

#: Name -> Redis connection: URL, `deadline` of a call in seconds, and most connections of a process.
REDIS_CONNECTIONS = {
    "default": {"url": REDIS_URL, "deadline": 0.5, "connections": 50},
    # For blocking reads: the deadline must be longer than the block time.
    "blocking": {"url": REDIS_URL, "deadline": 5.0, "connections": 8},
    # For caches (redis_kit.cache); the admin can move it, and "stats", to another server.
    "cache": {"url": REDIS_URL, "deadline": 0.5, "connections": 50},
    # For visits and recently viewed items: a page waits no longer than this.
    "stats": {"url": REDIS_URL, "deadline": 0.2, "connections": 16},
    # For threads that wait for a lock: each subscribes on a connection of its own.
    "waiting": {"url": REDIS_URL, "deadline": 1.0, "connections": 200},
    # For the event loop: two batches at a time, a connection each (redis_kit.async_transport).
    "gateway": {"url": REDIS_URL, "deadline": 0.5, "connections": 8},
    "live": {"url": REDIS_URL, "deadline": 2.0, "connections": 4},
    # For the thread that sends metrics, which nobody waits for.
    "metrics": {"url": REDIS_URL, "deadline": 0.5, "connections": 2},
    # The broker's server: Celery's queues and, beside them, the delayed jobs.
    "broker": {
        "url": broker.client_url(BROKER_URL, default=REDIS_URL),
        "deadline": 1.0,
        "connections": 10,
    },
}

#: Independent servers, an odd number from 3 on, whose majority decides which machine runs a scheduled job.
LOCK_REDIS_URLS = env.list("LOCK_REDIS_URLS", default=[])
#: Their connections.
LOCK_SERVERS = tuple(f"lock{number}" for number in range(1, len(LOCK_REDIS_URLS) + 1))
if LOCK_SERVERS and (len(LOCK_SERVERS) < 3 or len(LOCK_SERVERS) % 2 == 0):
    raise ImproperlyConfigured("LOCK_REDIS_URLS names an odd number of independent servers, at least three.")
REDIS_CONNECTIONS |= {
    name: {"url": url, "deadline": 0.5, "connections": 10}
    for name, url in zip(LOCK_SERVERS, LOCK_REDIS_URLS, strict=True)
}
