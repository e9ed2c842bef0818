"""Keeps a person's own of many rows. Template tags read it, so it knows nothing of the admin's classes."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Model, QuerySet


def filter_own(rows: QuerySet[Any], lookups: Mapping[str, object]) -> QuerySet[Any]:
    """The rows that match; a subquery, because a join would repeat a row that has the person twice."""
    model: type[Model] = rows.model
    return rows.filter(pk__in=model._default_manager.filter(**lookups).values("pk"))
