"""Celery's settings: broker, queues, time limits and acknowledgement."""

from django.core.exceptions import ImproperlyConfigured
from kombu import Queue

from apps.demo import embedded_address
from apps.queues import broker
from config.celery_schedule import SCHEDULE
from config.environment import REDIS_DIR, REDIS_PREFIX, REDIS_URL, VAR_DIR, env

BROKER_URL = env.str("CELERY_BROKER_URL", default="")
if not BROKER_URL:
    _is_embedded = embedded_address.url(REDIS_DIR) == REDIS_URL
    BROKER_URL = embedded_address.broker_url(REDIS_DIR, db=1) if _is_embedded else REDIS_URL
if "+cluster" in BROKER_URL or "+sentinel" in BROKER_URL:
    raise ImproperlyConfigured(
        "Celery's broker can't be a Redis Cluster or a redis+sentinel URL: set CELERY_BROKER_URL to one "
        "server (redis://host:6379/0) or to Celery's own sentinel form (sentinel://host:26379)."
    )
CELERY_BROKER_URL, _SENTINEL_OPTIONS = broker.split_options(BROKER_URL)
#: Seconds after which another worker gets the task of a dead worker.
_VISIBILITY_SECONDS = env.int("CELERY_VISIBILITY_SECONDS", default=600)
#: Seconds after which a running task is killed; at four fifths of it, the task gets SoftTimeLimitExceeded.
CELERY_TASK_TIME_LIMIT = env.int("CELERY_TASK_SECONDS", default=max(1, _VISIBILITY_SECONDS // 2))
CELERY_TASK_SOFT_TIME_LIMIT = max(1, CELERY_TASK_TIME_LIMIT * 4 // 5)
if not 1 <= CELERY_TASK_TIME_LIMIT < _VISIBILITY_SECONDS:
    raise ImproperlyConfigured(
        f"CELERY_TASK_SECONDS is {CELERY_TASK_TIME_LIMIT}: it must be at least 1 and less than "
        f"CELERY_VISIBILITY_SECONDS ({_VISIBILITY_SECONDS}), or a task that still runs is given to "
        f"another worker."
    )
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Two applications on one broker must not take each other's tasks.
    "global_keyprefix": f"{REDIS_PREFIX}:kit:queue:",
    "visibility_timeout": _VISIBILITY_SECONDS,
    # Kombu's defaults look for unacknowledged tasks every 100 seconds; a worker that dies looking blocks 300.
    "unacked_restore_interval": max(1, min(10, _VISIBILITY_SECONDS // 10)),
    "unacked_restore_throttle": 1,
    "unacked_mutex_expire": 30,
    # Without a deadline a worker waits for ever for the rest of an answer, or for the first one.
    "socket_timeout": 10,
    "socket_connect_timeout": 5,
    # Workers empty the queues in the order of CELERY_TASK_QUEUES.
    "queue_order_strategy": "priority",
} | _SENTINEL_OPTIONS
CELERY_TASK_QUEUES = [Queue("high"), Queue("normal"), Queue("low")]
CELERY_TASK_DEFAULT_QUEUE = "normal"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
# The out-of-memory killer ends a worker's child, not the worker: its task must run again too.
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Celery's default ends a worker after a hundred tries.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")
# Tasks and periods: config/celery_schedule.py.
CELERY_BEAT_SCHEDULE = SCHEDULE
