from collections.abc import Callable, Sized

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

#: cost(act, rows): (queries, round trips) of act(), which must answer with so many rows.
MeasureCost = Callable[[Callable[[], Sized], int], tuple[int, int]]


@pytest.fixture
def cost(round_trips: list[object]) -> MeasureCost:
    def measured(act: Callable[[], Sized], rows: int) -> tuple[int, int]:
        round_trips.clear()
        with CaptureQueriesContext(connection) as queries:
            assert len(act()) == rows
        return len(queries), len(round_trips)

    return measured
