"""Turns what a page's verb refuses into a problem."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ValidationError

from apps.web.problems import Problem


@contextmanager
def as_problems() -> Iterator[None]:
    """Inside, a text that can't be kept is Problem 422 invalid."""
    try:
        yield
    except ValidationError as error:
        raise Problem(422, "invalid", " ".join(error.messages)) from error
