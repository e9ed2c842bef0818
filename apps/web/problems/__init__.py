"""Refusals with a stable code (RFC 9457), the same for pages and API, and typed numbers from outside."""

from apps.web.problems.ids import PlainInt, RowId
from apps.web.problems.json_api import install
from apps.web.problems.problem import Problem

__all__ = ["PlainInt", "Problem", "RowId", "install"]
