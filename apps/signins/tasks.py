"""Scheduled job of check-ins: keep today's leaderboard complete."""

import logging

from celery import shared_task

from apps.redis_kit import client
from apps.signins.streaks import leaderboard

log = logging.getLogger(__name__)


@shared_task(name="signins.complete_board")
def complete_board() -> None:
    """Rebuild today's leaderboard if it is missing; until then, and without Redis, readers query SQL."""
    try:
        leaderboard.rebuild_if_missing()
    except client.UNAVAILABLE as error:
        log.warning("Redis is unavailable, the leaderboard is not rebuilt: %s", error)
