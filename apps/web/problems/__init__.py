"""Refusals with a stable code (RFC 9457) for pages and the API, and parsers of ids in requests.

Every app raises them, so they live below all; not in redis_kit, which knows nothing but Redis.
"""

from apps.web.problems.ids import PlainDigits, RowId
from apps.web.problems.json_api import ProblemAPI
from apps.web.problems.parsing import Body, EmptyAsNone
from apps.web.problems.problem import Problem

__all__ = ["Body", "EmptyAsNone", "PlainDigits", "Problem", "ProblemAPI", "RowId"]
