"""Turns what a page's verb refuses into a problem."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from apps.web import paging
from apps.web.problems import Problem


@contextmanager
def as_problems() -> Iterator[None]:
    """Inside, a text that can't be kept is Problem 422 invalid, and a bad cursor is 400 bad_cursor."""
    try:
        yield
    except ValidationError as error:
        raise Problem(422, "invalid", " ".join(error.messages)) from error
    except paging.BadCursor as error:
        sentence = _("This list has changed. Start again from its first page.")
        raise Problem(400, "bad_cursor", sentence) from error
