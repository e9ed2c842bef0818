"""Answers for ids that no row has yet, when many are asked for: a program that counts up costs no queries.

A few absent ids a second cost a query each, as ever. When more come, those above the largest id that exists
are refused at once for the rest of the second; a row that is made meanwhile is there a second later.
"""

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import DatabaseError
from django.http import Http404

#: Absent ids a second, in each process, that cost what they cost.
FREE_MISSES_A_SECOND = 20
WINDOW_SECONDS = 1.0
Row = TypeVar("Row")
log = logging.getLogger(__name__)


class AbsentIds:
    """Knows for a second which ids are beyond the largest; `find_largest` asks SQL, once a window at most."""

    def __init__(
        self, find_largest: Callable[[], int | None], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._find_largest, self._clock = find_largest, clock
        self._window_ends, self._misses = 0.0, 0
        self._largest: int | None = None

    def refuses(self, row_id: int) -> bool:
        """Whether there is no such row, without asking anybody."""
        return self._largest is not None and row_id > self._largest and self._clock() < self._window_ends

    def fetch(self, row_id: int, load: Callable[[int], Row]) -> Row:
        """What `load` returns for the id; Http404, without a call where there can be no such row."""
        if self.refuses(row_id):
            raise Http404
        try:
            return load(row_id)
        except Http404:
            self.note_miss()
            raise

    def note_miss(self) -> None:
        """An id was asked for and not found."""
        now = self._clock()
        if now >= self._window_ends:
            self._window_ends, self._misses, self._largest = now + WINDOW_SECONDS, 0, None
        self._misses += 1
        if self._misses == FREE_MISSES_A_SECOND:
            try:
                self._largest = self._find_largest() or 0
            except DatabaseError as error:
                log.warning("the largest id is unknown, SQL is away: %s", error)
