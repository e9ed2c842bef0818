"""Answers for ids that no row has, when many are asked for: a program that counts up costs no queries.

A few absent ids a second cost a query each, as ever. When more come, those above the largest id that exists
are refused at once for the rest of the second. Of those below it a block of ids at a time is read, as one
bit each: an id that is free far below the largest stays free, since ids are given out once and upwards.
"""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import DatabaseError
from django.db.models import Manager, Max
from django.http import Http404

#: Absent ids a second, in each process, that cost what they cost.
FREE_MISSES_A_SECOND = 20
WINDOW_SECONDS = 1.0
#: Ids that are read together, and blocks that a process keeps: 512 bytes each, a million ids.
BLOCK_IDS, MAX_BLOCKS = 4_096, 256
#: A block within so many ids of the largest is kept for the window only: rows are being made there.
SETTLED_DISTANCE = 4 * BLOCK_IDS
BLOCK_SECONDS = 60.0
Row = TypeVar("Row")
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Block:
    """Which of BLOCK_IDS ids exist, until `ends_at` on the clock."""

    bits: bytes
    ends_at: float

    def has(self, offset: int) -> bool:
        return bool(self.bits[offset >> 3] & 1 << (offset & 7))


class AbsentIds:
    """Knows which ids have no row; `find_largest` and `list_ids(first, last)` ask SQL, seldom."""

    def __init__(
        self,
        find_largest: Callable[[], int | None],
        list_ids: Callable[[int, int], Iterable[int]],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._find_largest, self._list_ids, self._clock = find_largest, list_ids, clock
        self.forget()

    def forget(self) -> None:
        """Forget what was asked for and which ids exist."""
        self._window_ends, self._misses = 0.0, 0
        self._largest: int | None = None
        self._blocks: OrderedDict[int, _Block] = OrderedDict()

    def refuses(self, row_id: int) -> bool:
        """Whether there is no such row, without asking anybody."""
        if self._largest is not None and row_id > self._largest and self._clock() < self._window_ends:
            return True
        number, offset = divmod(row_id, BLOCK_IDS)
        block = self._blocks.get(number)
        return block is not None and not block.has(offset) and self._clock() < block.ends_at

    def fetch(self, row_id: int, load: Callable[[int], Row]) -> Row:
        """What `load` returns for the id; Http404, without a call where there can be no such row."""
        if self.refuses(row_id):
            raise Http404
        try:
            return load(row_id)
        except Http404:
            self.note_miss(row_id)
            raise

    def note_miss(self, row_id: int) -> None:
        """The id was asked for and not found."""
        now = self._clock()
        if now >= self._window_ends:
            self._window_ends, self._misses, self._largest = now + WINDOW_SECONDS, 0, None
        self._misses += 1
        if self._misses < FREE_MISSES_A_SECOND:
            return
        try:
            if self._largest is None:
                self._largest = self._find_largest() or 0
            block = self._blocks.get(row_id // BLOCK_IDS)
            if row_id <= self._largest and (block is None or now >= block.ends_at):
                self._read_block(row_id // BLOCK_IDS)
        except DatabaseError as error:
            log.warning("which ids exist is unknown, SQL is away: %s", error)

    def _read_block(self, number: int) -> None:
        first, bits = number * BLOCK_IDS, bytearray(BLOCK_IDS // 8)
        for row_id in self._list_ids(first, first + BLOCK_IDS - 1):
            bits[row_id - first >> 3] |= 1 << (row_id - first & 7)
        is_settled = first + SETTLED_DISTANCE < (self._largest or 0)
        ends_at = self._clock() + BLOCK_SECONDS if is_settled else self._window_ends
        self._blocks[number] = _Block(bytes(bits), ends_at)
        if len(self._blocks) > MAX_BLOCKS:
            self._blocks.popitem(last=False)


def of_rows(rows: Manager[Any], *, clock: Callable[[], float] = time.monotonic) -> AbsentIds:
    """The absent ids of a table; hidden rows count as there, for they may be shown again at any time."""
    return AbsentIds(
        lambda: rows.aggregate(largest=Max("pk"))["largest"],
        lambda first, last: rows.filter(pk__range=(first, last)).values_list("pk", flat=True),
        clock=clock,
    )
