"""Turns errors of lists of notes into problem responses."""

from collections.abc import Callable
from typing import TypeVar

from django.utils.translation import gettext as _

from apps.web import paging
from apps.web.problems import Problem

Result = TypeVar("Result")


def refuse_bad_cursor(load: Callable[[], Result]) -> Result:
    """Return load()'s result; raises Problem 400 if the request's cursor is invalid."""
    try:
        return load()
    except paging.BadCursor as error:
        sentence = _("This list has changed. Start again from its first page.")
        raise Problem(400, "bad_cursor", sentence) from error
