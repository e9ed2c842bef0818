"""Records changes of things for the index, in the transactions that make them, and tells a worker."""

import logging
from collections.abc import Sequence

from celery.exceptions import Retry
from django.db import connection
from django.utils import timezone
from kombu.exceptions import OperationalError

from apps.redis_kit import client, transport
from apps.search import keys, tasks
from apps.search.models import IndexEntry
from apps.web import on_commit
from apps.web.findable import KINDS

#: How long a task that was sent keeps others from being sent, if it is lost.
QUEUED_SECONDS = 5
#: Rows of one INSERT.
INSERT_BATCH_SIZE = 300

log = logging.getLogger(__name__)


def record(kind: str, ids: Sequence[int]) -> None:
    """Count a change of the given things, in the caller's transaction, and index them after its commit."""
    if KINDS.get(kind) is None:
        return
    # Sorted: two transactions that change the same things take the rows in the same order.
    wanted = sorted(set(ids))
    for first in range(0, len(wanted), INSERT_BATCH_SIZE):
        _count_changes(kind, wanted[first : first + INSERT_BATCH_SIZE])
    on_commit.run_after_commit(send_task)


def send_task() -> None:
    """Have a worker index what waits, unless a task is on its way; without a broker the sweep does it."""
    try:
        claimed = transport.execute(client.get(), ("SET", keys.QUEUED(), 1, "NX", "EX", QUEUED_SECONDS))
        if claimed:
            tasks.index.apply_async(retry=False)
    except (*client.UNAVAILABLE, OperationalError, Retry):
        log.warning("changes wait for the next sweep of the search index: Redis is away")


def _count_changes(kind: str, ids: Sequence[int]) -> None:
    # One statement that both databases have, and that Django's bulk_create can't say: add to what is there.
    table, now = IndexEntry._meta.db_table, timezone.now()
    values = ", ".join(["(%s, %s, 1, %s, %s)"] * len(ids))
    sql = (
        f"INSERT INTO {table} (kind, object_id, version, is_waiting, changed_at) VALUES {values} "  # noqa: S608
        f"ON CONFLICT (kind, object_id) DO UPDATE SET version = {table}.version + 1, "
        "is_waiting = excluded.is_waiting, changed_at = excluded.changed_at"
    )
    adapted = connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        cursor.execute(sql, [part for one in ids for part in (kind, one, True, adapted)])
