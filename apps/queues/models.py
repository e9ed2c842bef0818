"""SQL models of tasks that failed for good."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Reason(models.TextChoices):
    """Why a task failed for good."""

    RAISED = "raised", _("failed")
    TIMED_OUT = "timed_out", _("took too long")
    KILLED = "killed", _("killed its worker")
    UNKNOWN = "unknown", _("nobody knows this task")
    MALFORMED = "malformed", _("unreadable message")


class DeadTaskQuerySet(models.QuerySet["DeadTask"]):
    def waiting(self) -> "DeadTaskQuerySet":
        """Return the failed tasks that were not run again."""
        return self.filter(replayed_at=None)


class DeadTask(models.Model):
    """A task that failed for good, with the arguments and the queue to run it again.

    Celery's beat sends a scheduled task (`is_tick`) again by itself. It has at most one waiting row; later
    failures of the task only increase `times`.
    """

    task_id = models.CharField(_("task id"), max_length=64, unique=True)
    name = models.CharField(_("task"), max_length=200)
    args: Any = models.JSONField(_("arguments"), default=list)
    kwargs: Any = models.JSONField(_("named arguments"), default=dict)
    queue = models.CharField(_("queue"), max_length=64, blank=True)
    reason = models.CharField(_("reason"), max_length=9, choices=Reason)
    error = models.CharField(_("error"), max_length=500)
    traceback = models.TextField(_("traceback"), blank=True)
    runs = models.PositiveIntegerField(_("runs"), default=1)
    is_tick = models.BooleanField(_("on a schedule"), default=False)
    times = models.PositiveIntegerField(_("times"), default=1)
    died_at = models.DateTimeField(_("died"), default=timezone.now)
    replayed_at = models.DateTimeField(_("run again"), null=True, blank=True)
    replayed_as = models.CharField(_("run again as"), max_length=64, blank=True)

    objects = DeadTaskQuerySet.as_manager()

    class Meta:
        verbose_name = _("dead task")
        verbose_name_plural = _("dead tasks")
        permissions: ClassVar = [("run_again", _("Can run dead tasks again"))]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["name"], condition=Q(is_tick=True, replayed_at=None), name="queues_one_row_a_tick"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["-died_at"], condition=Q(replayed_at=None), name="queues_dead_waiting"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.task_id}"


class OwedEffect(models.Model):
    """What a transaction owes after its commit, by the name of a function (queues.owed.EFFECTS)."""

    effect = models.CharField(max_length=200)
    arguments: Any = models.JSONField(default=list)
    tries = models.PositiveIntegerField(default=0)
    #: By the clock of the database: hosts' clocks differ.
    due_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.effect}({', '.join(map(str, self.arguments))})"
