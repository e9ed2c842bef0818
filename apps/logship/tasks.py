"""Scheduled tasks of access logs: the site's own are sent and counted every few seconds."""

import logging
import threading
from datetime import timedelta
from functools import partial
from pathlib import Path

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from apps.logship import analysing, block_stream, sending
from apps.logship.models import CityVisits, FilePosition, PathTimes
from apps.redis_kit import client, locks

#: Seconds after which a run lets other tasks go first; the next one goes on.
MAX_RUN_SECONDS = 2.0
#: A file that nothing was counted of for so long is forgotten; sent once more, it would count again.
POSITIONS_KEPT = timedelta(days=40)
NUMBERS_KEPT = timedelta(days=400)

log = logging.getLogger(__name__)


@shared_task(name="logship.move")
def move() -> int:
    """Send what web processes of this machine have written, and count it; returns the blocks counted."""
    folder = settings.ACCESS_LOG_DIR
    if not folder or not folder.is_dir():
        return 0
    try:
        counted = locks.run_exclusively(
            "logship.move", partial(_send_and_count, folder), lease=settings.CELERY_TASK_TIME_LIMIT
        )
        return counted or 0
    except client.UNAVAILABLE as error:
        log.warning("Redis is away, the access log waits: %s", error)
        return 0


@shared_task(name="logship.tidy")
def tidy() -> int:
    """Once a day: forget files and numbers that are old; returns how many files."""
    now = timezone.now()
    CityVisits.objects.filter(day__lt=(now - NUMBERS_KEPT).date()).delete()
    PathTimes.objects.filter(day__lt=(now - NUMBERS_KEPT).date()).delete()
    old = FilePosition.objects.filter(updated_at__lt=now - POSITIONS_KEPT)
    names = sorted(set(old.values_list("file", flat=True)))
    try:
        block_stream.forget_files(names)
    except client.UNAVAILABLE as error:
        log.warning("Redis is away, old log files are forgotten tomorrow: %s", error)
        return 0
    old.delete()
    return len(names)


def _send_and_count(folder: Path) -> int:
    readers, stop = analysing.open_readers(), threading.Event()
    timer = threading.Timer(MAX_RUN_SECONDS, stop.set)
    timer.daemon = True
    timer.start()
    try:
        sending.ship([folder], stop)
    except sending.Stopped:
        log.info("the access log waits for room")
    finally:
        timer.cancel()
    return sum(reader.drain() for reader in readers)
