"""The Celery application: the base class of tasks, settings named CELERY_*, and the tasks of all apps."""

import os

from celery import Celery
from celery.signals import worker_process_init, worker_process_shutdown

from apps.metrics import sending
from apps.queues import broker_transport
from apps.web import sql_deadlines

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

broker_transport.register()
app = Celery("savor", task_cls="apps.queues.site_task:SiteTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(["apps.coupons.payments"])


@worker_process_init.connect
def start_child(**_: object) -> None:
    """Measure in each child of a worker, which runs the tasks, and bound its waits for SQL."""
    sending.start("worker")
    sql_deadlines.use(sql_deadlines.background())


@worker_process_shutdown.connect
def end_child(**_: object) -> None:
    """Send a child's last second: it ends without Python's own exit."""
    sending.stop()
