"""One's reports, and decisions about oneself, as the list of notifications shows them."""

from collections.abc import Collection

from django.urls import reverse
from django.utils.text import Truncator

from apps.mailbox.display import Target
from apps.moderation.models import Case, Decision, Report

#: Letters of what the thing said.
TITLE_LENGTH = 40


class ReportTargets:
    """The reader's own reports."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """One query."""
        rows = Report.objects.filter(pk__in=ids, reporter=reader_id).select_related("case")
        return {row.pk: Target(name_thing(row.case), reverse("moderation:my_reports")) for row in rows}


class DecisionTargets:
    """Decisions about the reader's own things."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """One query."""
        rows = Decision.objects.filter(pk__in=ids, case__author=reader_id).select_related("case")
        return {
            row.pk: Target(name_thing(row.case), reverse("moderation:decision", args=[row.pk]))
            for row in rows
        }


def name_thing(case: Case) -> str:
    """What a case is about, such as "comment: The soup …"."""
    words = Truncator(case.excerpt.replace("\n", " ")).chars(TITLE_LENGTH)
    return f"{case.kind_label}: {words}" if words else case.kind_label
