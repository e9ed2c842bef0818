"""What the analysers have counted, and how far each of them has counted each file."""

from typing import ClassVar

from django.db import models
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class FilePositionQuerySet(models.QuerySet["FilePosition"]):
    def move(self, analyser: str, file: str, before: int, after: int) -> bool:
        """Move an offset; False when it is no longer `before`."""
        row = self.filter(analyser=analyser, file=file, offset=before)
        return bool(row.update(offset=after, updated_at=timezone.now()))

    def add_losses(self, analyser: str, file: str, lost: int, damaged: int) -> None:
        """Note bytes that the analyser never got, and blocks whose checksum was wrong."""
        row = self.filter(analyser=analyser, file=file)
        row.update(lost_bytes=F("lost_bytes") + lost, damaged_blocks=F("damaged_blocks") + damaged)


class FilePosition(models.Model):
    """How far an analyser has counted a file, in bytes of its text."""

    analyser = models.CharField(max_length=40)
    file = models.CharField(max_length=200)
    offset = models.PositiveBigIntegerField(default=0)
    lost_bytes = models.PositiveBigIntegerField(default=0)
    damaged_blocks = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(default=timezone.now)

    objects = FilePositionQuerySet.as_manager()

    class Meta:
        verbose_name = _("position in a log file")
        verbose_name_plural = _("positions in log files")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["analyser", "file"], name="logship_one_position"),
        ]

    def __str__(self) -> str:
        return f"{self.analyser}: {self.file} to {self.offset}"


class CityVisits(models.Model):
    """Pages that people of a city opened on a day; `city` is a findable.pair_value, "" where unknown."""

    day = models.DateField(_("day"))
    city = models.CharField(_("city"), max_length=170, blank=True)
    country = models.CharField(_("country"), max_length=2, blank=True)
    visits = models.PositiveBigIntegerField(_("visits"), default=0)

    class Meta:
        verbose_name = _("visits of a city")
        verbose_name_plural = _("visits by city")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["day", "city", "country"], name="logship_city_once_a_day"),
        ]

    def __str__(self) -> str:
        return f"{self.city} on {self.day}: {self.visits}"


class PathTimes(models.Model):
    """How long the requests of a route took on a day."""

    day = models.DateField(_("day"))
    path = models.CharField(_("path"), max_length=200)
    requests = models.PositiveBigIntegerField(_("requests"), default=0)
    total_ms = models.FloatField(_("milliseconds"), default=0)
    slowest_ms = models.FloatField(_("slowest, in milliseconds"), default=0)

    class Meta:
        verbose_name = _("times of a path")
        verbose_name_plural = _("times of paths")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["day", "path"], name="logship_path_once_a_day"),
        ]

    def __str__(self) -> str:
        return f"{self.path} on {self.day}: {self.requests}"
