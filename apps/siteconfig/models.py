"""History of what operators changed while the site ran."""

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from apps.web.in_language import InLanguage


class MaintenanceChange(models.Model):
    """A change of the maintenance switch: site closed, announcement changed, or site opened again."""

    is_on = models.BooleanField(_("closed"))
    until = models.DateTimeField(_("expected end"), null=True, blank=True)
    text_en = models.CharField(_("text in English"), max_length=300, blank=True)
    text_zh = models.CharField(_("text in Chinese"), max_length=300, blank=True)
    #: A name, not a person's row: rows of people may be locked while SQL is migrated.
    changed_by = models.CharField(_("changed by"), max_length=150)
    changed_at = models.DateTimeField(_("changed at"), default=timezone.now)

    text = InLanguage("text")

    class Meta:
        verbose_name = _("maintenance change")
        verbose_name_plural = _("maintenance changes")
        default_permissions = ("view",)
        ordering: ClassVar = ["-id"]
        permissions: ClassVar = [("switch_maintenance", _("Can close the site for maintenance"))]

    def __str__(self) -> str:
        return pgettext("site", "closed") if self.is_on else pgettext("site", "open")


class SettingsChangeQuerySet(models.QuerySet["SettingsChange"]):
    """Words for questions about changes."""

    def newest(self) -> "SettingsChangeQuerySet":
        """The newest change of each component, which is in force."""
        newest = self.filter(component=models.OuterRef("component")).order_by("-number")
        return self.filter(number=models.Subquery(newest.values("number")[:1]))


class SettingsChange(models.Model):
    """A change of a component's settings; the one with the largest number is in force."""

    component = models.CharField(_("part of the site"), max_length=50)
    number = models.PositiveIntegerField(_("number"))
    #: Settings that are not at their default, by name.
    overrides = models.JSONField(_("settings"), default=dict)
    changed_by = models.CharField(_("changed by"), max_length=150)
    changed_at = models.DateTimeField(_("changed at"), default=timezone.now)

    objects = SettingsChangeQuerySet.as_manager()

    class Meta:
        verbose_name = _("change of settings")
        verbose_name_plural = _("changes of settings")
        default_permissions = ("view",)
        ordering: ClassVar = ["component", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["component", "number"], name="siteconfig_change_once")
        ]
        permissions: ClassVar = [("change_settings", _("Can change the settings of the running site"))]

    def __str__(self) -> str:
        return f"{self.component} {self.number}"
