"""What each task of the site inherits."""

from celery import current_app
from django.conf import settings
from django.db import OperationalError
from redis.exceptions import ConnectionError as RedisAway

from apps.queues.site_task import SiteTask


def test_every_task_of_the_site_is_of_this_class() -> None:
    current_app.loader.import_default_modules()
    ours = [task for name, task in current_app.tasks.items() if not name.startswith("celery.")]
    assert len(ours) > 10
    assert [task.name for task in ours if not isinstance(task, SiteTask)] == []


def test_what_passes_is_tried_again_and_flaws_are_not() -> None:
    for passing in (OperationalError, RedisAway, ConnectionResetError):
        assert issubclass(passing, SiteTask.autoretry_for)
    for flaw in (ValueError, KeyError, AssertionError):
        assert not issubclass(flaw, SiteTask.autoretry_for)


def test_no_task_outlives_its_message() -> None:
    visibility = settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"]
    soft, hard = settings.CELERY_TASK_SOFT_TIME_LIMIT, settings.CELERY_TASK_TIME_LIMIT
    assert 0 < soft < hard < visibility
    assert SiteTask.retry_backoff_max < visibility


def test_every_tick_of_beat_has_a_task() -> None:
    current_app.loader.import_default_modules()
    wanted = {str(entry["task"]) for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert wanted <= set(current_app.tasks)
