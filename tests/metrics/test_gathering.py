"""What a process gathers: exact under threads, bounded, nothing unless it was started."""

import logging
import os
from typing import cast

import pytest

from apps.metrics import gathering
from tests.races import Race


def test_a_process_that_was_not_started_gathers_nothing() -> None:
    gathering.count("hits")
    gathering.record("shops:detail", 0.1, 200)
    assert gathering.take().size == 0


@pytest.mark.usefixtures("gathers")
def test_what_is_taken_is_gone() -> None:
    gathering.count("orders.paid", 2)
    with gathering.timed("verb/orders.record"):
        pass
    taken = gathering.take()
    assert taken.counts == {"orders.paid": 2}
    assert [sample.name for sample in taken.samples] == ["verb/orders.record"]
    assert taken.size == 3
    assert gathering.take().size == 0


@pytest.mark.usefixtures("gathers")
def test_threads_lose_no_event(race: Race) -> None:
    def act(number: int) -> gathering.Gathered:
        for _ in range(200):
            gathering.count("hits")
            gathering.record("home", 0.001, 200)
        return gathering.take()

    taken = cast(list[gathering.Gathered], [*race(20, act), gathering.take()])
    assert sum(each.counts.get("hits", 0) for each in taken) == 4_000
    assert sum(len(each.samples) for each in taken) == 4_000


@pytest.mark.usefixtures("gathers")
def test_memory_is_bounded_and_what_is_lost_is_counted() -> None:
    for _ in range(gathering.MAX_WAITING_SAMPLES + 7):
        gathering.record("home", 0.001, 200)
    for number in range(gathering.MAX_COUNTERS + 50):
        gathering.count(f"name{number}")
    taken = gathering.take()
    assert len(taken.samples) == gathering.MAX_WAITING_SAMPLES
    assert len(taken.counts) == gathering.MAX_COUNTERS
    assert taken.counts[gathering.LOST] == 7


@pytest.mark.usefixtures("gathers")
def test_what_takes_over_a_second_is_logged_but_for_tasks(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        gathering.record("shops:detail", 1.25, 200)
        gathering.record("shops:list", 0.99, 200)
        gathering.record("task/search.rebuild_names", 60)
    assert [record.getMessage() for record in caplog.records] == ["shops:detail took 1.2 s"]


@pytest.mark.usefixtures("gathers")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_leaves_the_parents_numbers_to_it() -> None:
    gathering.count("hits")
    child = os.fork()
    if not child:
        os._exit(gathering.take().size)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert gathering.take().size == 1
