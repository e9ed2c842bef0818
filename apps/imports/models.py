"""The tables of imports: a file and how far it is, its bytes until it is done, and its refused rows."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class Import(models.Model):
    """A file of rows: first checked, then written once a person confirms. The numbers are those of its state.

    `total` is 0 until the file was read to its end once; `samples` are the first rows that would be new or
    changed, `doubts` values that are taken but not understood; `error` is why the whole file can't be read.
    Reasons are written in `language`, that of the upload.
    """

    class State(models.TextChoices):
        CHECKING = "checking", _("being checked")
        CHECKED = "checked", _("waits for your yes")
        WRITING = "writing", _("being imported")
        DONE = "done", _("done")
        FAILED = "failed", _("not imported")
        CANCELLED = "cancelled", _("cancelled")

    kind = models.CharField(max_length=32)
    file_name = models.CharField(_("file"), max_length=200)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("by")
    )
    stops_at_errors = models.BooleanField(_("nothing, if a row is refused"), default=False)
    state = models.CharField(_("state"), max_length=9, choices=State, default=State.CHECKING)
    language = models.CharField(max_length=10, blank=True)
    encoding = models.CharField(_("encoding"), max_length=12, blank=True)
    total = models.PositiveIntegerField(_("rows"), default=0)
    done = models.PositiveIntegerField(default=0)
    created = models.PositiveIntegerField(_("new"), default=0)
    changed = models.PositiveIntegerField(pgettext_lazy("rows", "changed"), default=0)
    unchanged = models.PositiveIntegerField(_("unchanged"), default=0)
    refused = models.PositiveIntegerField(_("refused"), default=0)
    samples = models.JSONField(default=list)
    doubts = models.JSONField(default=list, null=True)
    error = models.CharField(max_length=500, blank=True)
    began_at = models.DateTimeField(pgettext_lazy("moment", "begun"), default=timezone.now)
    moved_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("import")
        verbose_name_plural = _("imports")
        indexes: ClassVar = [models.Index(fields=["state", "moved_at"])]

    def __str__(self) -> str:
        return self.file_name

    @property
    def is_active(self) -> bool:
        """Whether a worker has to go on with it."""
        return self.state in {self.State.CHECKING, self.State.WRITING}


class FilePiece(models.Model):
    """Some bytes of an import's file: in SQL, because web server and worker may be two machines."""

    of = models.ForeignKey(Import, models.CASCADE, related_name="pieces", db_index=False)
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["of", "number"], name="imports_one_piece")]

    def __str__(self) -> str:
        return f"{self.of_id}/{self.number}"


class RefusedRow(models.Model):
    """A row that was not taken: its line in the file, its values as they were read, and why."""

    of = models.ForeignKey(Import, models.CASCADE, related_name="refusals", db_index=False)
    line = models.PositiveIntegerField()
    reason = models.TextField()
    values = models.JSONField(default=list)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["of", "line"])]

    def __str__(self) -> str:
        return f"{self.of_id}:{self.line}"
