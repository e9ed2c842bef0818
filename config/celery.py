"""The Celery application: the base class of tasks, settings named CELERY_*, and the tasks of all apps."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("savor", task_cls="apps.queues.site_task:SiteTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(["apps.coupons.payments"])
