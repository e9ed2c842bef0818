"""Why something about notes was refused: status, code, sentence."""

from collections.abc import Callable
from typing import TypeVar

from django.utils.translation import gettext as _

from apps.web import paging
from apps.web.problems import Problem

Result = TypeVar("Result")


def refuse_bad_cursor(load: Callable[[], Result]) -> Result:
    """What a list answers, or Problem 400 for a cursor that is none of ours."""
    try:
        return load()
    except paging.BadCursor as error:
        sentence = _("This list has changed. Start again from its first page.")
        raise Problem(400, "bad_cursor", sentence) from error
