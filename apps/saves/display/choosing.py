"""The content of the choice of lists for a shop or a note."""

from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.http import HttpRequest

from apps.accounts import redirects
from apps.saves import subjects
from apps.saves.display import pages
from apps.saves.models import MAX_NAME_LENGTH, ListEntry
from apps.saves.subjects import Subject
from apps.web import htmx
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id


class ChoicePage(NamedTuple):
    """The template's context, and the HTTP status to send it with."""

    context: dict[str, Any]
    status: int


def build(
    request: HttpRequest, user_id: int, subject: Subject, *, error: Problem | ValidationError | None = None
) -> ChoicePage:
    """The person's lists, and which are chosen: as they are, or as a refused form has them. Problem 404."""
    subjects.require(subject)
    chosen = {parse_row_id(text) for text in request.POST.getlist("list")}
    if error is None:
        entries = ListEntry.objects.filter(saved__user=user_id, **_columns(subject))
        chosen = set(entries.values_list("list_id", flat=True))
    context = {
        "subject": subject,
        "rows": pages.list_rows(user_id),
        "chosen": chosen,
        "name": request.POST.get("name", ""),
        "max_length": MAX_NAME_LENGTH,
        "error": _describe(error) if error else "",
        "next": _next_page(request, subject),
    }
    return ChoicePage(context, error.status if isinstance(error, Problem) else 422 if error else 200)


def _next_page(request: HttpRequest, subject: Subject) -> str:
    """Where the choice leads: where it was asked for, or the page of the shop or note."""
    if "next" in request.POST or "next" in request.GET:
        return redirects.requested_next(request)
    return redirects.current_page(request) if htmx.is_htmx(request) else subject.page_url


def _columns(subject: Subject) -> dict[str, int]:
    return {f"saved__{column}": pk for column, pk in subject.columns.items()}


def _describe(error: Problem | ValidationError) -> str:
    return error.detail if isinstance(error, Problem) else " ".join(error.messages)
