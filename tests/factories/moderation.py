"""Cases of reported things, their reports and decisions."""

import factory

from apps.moderation.models import Case, Decision, Report
from tests.factories.people import UserFactory
from tests.factories.rows import RowFactory


class CaseFactory(RowFactory[Case]):
    """An open case about a note that need not exist."""

    class Meta:
        model = Case

    kind = "note"
    target_id = factory.Sequence(lambda number: number + 1)
    author = factory.SubFactory(UserFactory)


class ReportFactory(RowFactory[Report]):
    """An open report, which its case's number doesn't count."""

    class Meta:
        model = Report

    case = factory.SubFactory(CaseFactory)
    reporter = factory.SubFactory(UserFactory)
    reason = "spam"


class DecisionFactory(RowFactory[Decision]):
    """A decision that hides nothing and costs nobody anything."""

    class Meta:
        model = Decision

    case = factory.SubFactory(CaseFactory)
    reason = "a test"
    decided_by = factory.SubFactory(UserFactory)
