"""The models of moderation: the case of a reported thing, its reports, and what staff decided."""

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.accounts.text_fields import LinesField
from apps.moderation import kinds

MAX_TEXT_LENGTH = 500
#: Of what a thing says, kept with its case.
MAX_EXCERPT_LENGTH = 1_000


class Reason(models.TextChoices):
    SPAM = "spam", _("Advertising or fraud")
    INSULT = "insult", _("Insults or threats")
    SEXUAL = "sexual", _("Sexual or violent")
    ILLEGAL = "illegal", _("Against the law")
    FAKE = "fake", _("Made up or paid for")
    WRONG_SHOP = "shop", _("About another shop")
    OTHER = "other", _("Something else")


class Case(models.Model):
    """All about one reported thing. Reports open it, a decision closes it, an objection opens it again.

    `excerpt` is what the thing said when it was reported: its author may change or delete it. `report_count`
    counts the open reports, `opened_at` is when the first of them came.
    """

    class State(models.TextChoices):
        OPEN = "open", pgettext_lazy("report", "open")
        DECIDED = "decided", pgettext_lazy("report", "decided")

    kind = models.CharField(_("kind"), max_length=16)
    target_id = models.BigIntegerField(_("number"))
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("author"),
    )
    excerpt = models.TextField(_("what it said"), blank=True)
    state = models.CharField(_("state"), max_length=7, choices=State, default=State.OPEN)
    report_count = models.PositiveIntegerField(_("reports"), default=0)
    has_objection = models.BooleanField(_("objection"), default=False)
    opened_at = models.DateTimeField(_("waiting since"), default=timezone.now)

    class Meta:
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        permissions: ClassVar = [("decide_report", _("Can decide reports and undo decisions"))]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["kind", "target_id"], name="moderation_one_case_a_thing")
        ]
        indexes: ClassVar = [
            models.Index(fields=["state", "-report_count", "opened_at"], name="moderation_queue"),
            models.Index(fields=["opened_at"], condition=Q(state="open"), name="moderation_oldest"),
        ]

    def __str__(self) -> str:
        return f"{self.kind_label} {self.excerpt[:60]}".strip()

    @property
    def reasons(self) -> list[str]:
        """The reasons of the open reports, none twice, from reports that a list has prefetched."""
        return list(dict.fromkeys(row.reason for row in self.reports.all() if row.decision_id is None))

    @property
    def kind_label(self) -> str:
        """What the thing is, in the reader's language."""
        known = kinds.KINDS.get(self.kind)
        return str(known.label) if known else self.kind


class ReportQuerySet(models.QuerySet["Report"]):
    def open(self) -> Self:
        return self.filter(decision=None)


class Report(models.Model):
    """One person's complaint about a thing; open until a decision answers it."""

    case = models.ForeignKey(Case, models.CASCADE, related_name="reports", verbose_name=_("report"))
    reporter = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="+",
        verbose_name=_("reported by"),
        db_index=False,
    )
    reason = models.CharField(_("reason"), max_length=7, choices=Reason)
    text = LinesField(_("in their words"), max_length=MAX_TEXT_LENGTH, blank=True)
    created_at = models.DateTimeField(_("reported"), default=timezone.now)
    decision = models.ForeignKey(
        "Decision", models.SET_NULL, null=True, blank=True, related_name="reports", verbose_name=_("decision")
    )

    objects = ReportQuerySet.as_manager()

    class Meta:
        verbose_name = _("complaint")
        verbose_name_plural = _("complaints")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["case", "reporter"], condition=Q(decision=None), name="moderation_one_open_report"
            )
        ]
        indexes: ClassVar = [models.Index(fields=["reporter", "-id"], name="moderation_reports_of")]

    def __str__(self) -> str:
        return f"{self.get_reason_display()}: {self.text[:60]}"


class Decision(models.Model):
    """What staff decided about a case: whether the thing is hidden, and what its author bears.

    `before` is what undoing it needs to know, `until` when a suspension ends. `hides_all` of a ban hides
    everything that the author wrote; `swept_at` is when the last of it was hidden, or is back after an undo.
    """

    class Sanction(models.TextChoices):
        NONE = "", _("nothing")
        WARNING = "warning", _("a warning")
        ONE_DAY = "day", _("no writing for 1 day")
        SEVEN_DAYS = "week", _("no writing for 7 days")
        THIRTY_DAYS = "month", _("no writing for 30 days")
        FOR_GOOD = "forever", _("no writing any more")
        BAN = "ban", _("the account is switched off")

    case = models.ForeignKey(
        Case, models.CASCADE, related_name="decisions", verbose_name=_("report"), db_index=False
    )
    is_hidden = models.BooleanField(_("hide it"), default=False)
    sanction = models.CharField(
        _("for its author"), max_length=7, choices=Sanction, default=Sanction.NONE, blank=True
    )
    hides_all = models.BooleanField(_("hide everything they wrote"), default=False)
    swept_at = models.DateTimeField(null=True, blank=True, editable=False)
    reason = LinesField(_("reason"), max_length=MAX_TEXT_LENGTH)
    before = models.JSONField(default=dict, blank=True, editable=False)
    until = models.DateTimeField(pgettext_lazy("suspension", "until"), null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("decided by"),
    )
    decided_at = models.DateTimeField(_("decided"), default=timezone.now)
    undone_at = models.DateTimeField(_("undone"), null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("undone by"),
    )
    objection = LinesField(_("objection"), max_length=MAX_TEXT_LENGTH, blank=True)
    objected_at = models.DateTimeField(_("objected"), null=True, blank=True)
    answer = LinesField(
        _("answer to the objection"), max_length=MAX_TEXT_LENGTH, blank=True, default="", db_default=""
    )

    class Meta:
        verbose_name = _("decision")
        verbose_name_plural = _("decisions")
        indexes: ClassVar = [
            models.Index(fields=["case", "-id"], name="moderation_decisions"),
            models.Index(
                fields=["decided_at"], condition=Q(hides_all=True, swept_at=None), name="moderation_to_sweep"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.case}: {self.reason[:60]}"

    @property
    def has_effect(self) -> bool:
        """Whether it did something to the thing or its author, which can be undone and objected to."""
        return self.is_hidden or self.sanction != self.Sanction.NONE
