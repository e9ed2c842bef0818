"""Search boxes of the admin that take what managers type and paste."""

import re
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from apps.web import characters, phone_numbers

#: A phone number with its separators, which it has none of in the database; a date has fewer digits.
_SPACED_NUMBER_PATTERN = re.compile(r"(?:\(?\+|(?=(?:[^0-9]*[0-9]){9}))[0-9(][0-9() .\-]*[0-9)]")
_SEPARATORS_PATTERN = re.compile(r"[() .\-]")


class PlainSearch:
    """Searches a list for each form of what was typed: a phone as it is stored, letters of any width."""

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Return the rows that have the term in one of its forms, and whether they may repeat."""
        first, *others = list_forms(search_term)
        found, may_repeat = super().get_search_results(request, queryset, first)  # type: ignore[misc]
        for form in others:
            more, may_repeat_too = super().get_search_results(request, queryset, form)  # type: ignore[misc]
            found, may_repeat = found | more, may_repeat or may_repeat_too
        return found, may_repeat


def list_forms(typed: str) -> list[str]:
    """The plain form of a term, then others that rows may have it in: a phone's E.164, forms of letters."""
    term = to_plain_term(typed)
    phone = phone_numbers.canonical(term)
    if phone != term:
        return [term, phone]
    return characters.spellings(term)


def to_plain_term(typed: str) -> str:
    """Return a search term without invisible marks; a phone number as digits, with its "+" if it has one."""
    number = characters.to_plain_number(typed)
    if _SPACED_NUMBER_PATTERN.fullmatch(number):
        return _SEPARATORS_PATTERN.sub("", number)
    return characters.drop_ignorable(typed).strip()
