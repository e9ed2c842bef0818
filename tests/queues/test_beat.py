"""The scheduled tasks of a mover that starts them too."""

from pathlib import Path

import pytest
import redis

from apps.demo import embedded_address
from tests.sites import Site, wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]
#: Celery's default queue, and a task that the schedule starts each five seconds.
QUEUE, TASK = "savor:kit:queue:normal", b"close_overdue_orders"


def test_a_mover_starts_the_scheduled_tasks(tmp_path: Path) -> None:
    with Site(tmp_path) as site:
        site.start("mover", more="--beat")
        broker = redis.Redis(
            unix_socket_path=str(embedded_address.socket_path(site.directory / "redis")), db=1
        )
        with broker:
            wait_until(
                lambda: any(TASK in message for message in broker.lrange(QUEUE, 0, -1)),
                seconds=120,
                otherwise=f"no task is sent: {site.log('mover')}",
            )
