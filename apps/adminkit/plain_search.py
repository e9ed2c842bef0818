"""Search boxes of the admin that take what managers paste."""

import re
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from apps.web import characters

#: A phone number with its separators, which it has none of in the database; a date has fewer digits.
_SPACED_NUMBER_PATTERN = re.compile(r"(?:\(?\+|(?=(?:[^0-9]*[0-9]){9}))[0-9(][0-9() .\-]*[0-9)]")
_SEPARATORS_PATTERN = re.compile(r"[() .\-]")


class PlainSearch:
    """Searches a list for the plain form of a term: no invisible marks, a phone number without spaces."""

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Return the rows that have the term, and whether they may repeat."""
        return super().get_search_results(request, queryset, to_plain_term(search_term))  # type: ignore[misc]


def to_plain_term(typed: str) -> str:
    """Return a search term without invisible marks; a phone number as digits, with its "+" if it has one."""
    number = characters.to_plain_number(typed)
    if _SPACED_NUMBER_PATTERN.fullmatch(number):
        return _SEPARATORS_PATTERN.sub("", number)
    return characters.drop_ignorable(typed).strip()
