import logging

from celery import shared_task

from apps.redis_kit import client
from apps.signins.streaks import leaderboard

log = logging.getLogger(__name__)


@shared_task(name="signins.heal")
def heal() -> None:
    """A board of leaders for a day that has none yet; until then, and without Redis, readers ask SQL."""
    try:
        leaderboard.rebuild_if_missing()
    except client.UNAVAILABLE as error:
        log.warning("Redis is away, the board of leaders waits: %s", error)
