"""The Redis connections of a process, each with a deadline of its own."""

from apps.queues import broker
from config.celery_settings import CELERY_BROKER_URL
from config.environment import REDIS_URL

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
        "url": broker.client_url(CELERY_BROKER_URL, default=REDIS_URL),
        "deadline": 1.0,
        "connections": 10,
    },
}
