"""Why something about notes was refused: status, code, sentence."""

from collections.abc import Callable
from typing import TypeVar

from django.utils.translation import gettext as _

from apps.problems import Problem
from apps.redis_kit import paging

Answer = TypeVar("Answer")


def paged(load: Callable[[], Answer]) -> Answer:
    """What a list answers, or Problem 400 for a cursor that is none of ours."""
    try:
        return load()
    except paging.BadCursor as error:
        sentence = _("This list has changed. Start again from its first page.")
        raise Problem(400, "bad_cursor", sentence) from error
