"""Scheduled jobs of ads."""

from celery import shared_task
from django.conf import settings

from apps.ads import loading
from apps.ads.learning import repricing
from apps.ads.money import charging, pacing
from apps.redis_kit import locks


@shared_task(name="ads.save")
def save() -> int:
    """Every few seconds: charges become rows, counts are saved; returns how many charges came."""
    lease = settings.CELERY_TASK_TIME_LIMIT
    return locks.run_exclusively("ads.save", _save, lease=lease) or 0


@shared_task(name="ads.pace")
def pace() -> int:
    """Every minute: pacing, new draws, and finished campaigns leave the index; how many have a plan."""
    lease = settings.CELERY_TASK_TIME_LIMIT
    return locks.run_exclusively("ads.pace", _pace, lease=lease) or 0


def _save() -> int:
    charged = charging.drain()
    repricing.save_counts()
    return charged


def _pace() -> int:
    loading.load_if_lost()
    loading.remove_finished()
    repricing.reprice_some()
    return pacing.update()
