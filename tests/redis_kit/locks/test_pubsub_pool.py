"""Whoever waits again listens on the connection of the last wait, unless that died meanwhile."""

import threading
from collections.abc import Callable

import pytest

from apps.redis_kit import client, locks
from apps.redis_kit.locks import drivers
from tests.redis_kit.locks import lock_waiters
from tests.redis_kit.streams.stream_worker import Children

pytestmark = pytest.mark.one_server("subscriptions are kept for the next wait")


@pytest.fixture(autouse=True)
def no_idle_connections() -> None:
    client.close_all()


def connections() -> int:
    """How many the server has accepted so far."""
    return int(client.get().info("stats")["total_connections_received"])


def wait_in_line() -> None:
    """One thread waits for a lock that this one gives up."""
    with locks.fair("a", lease=60):
        thread = lock_waiters.start_waiter("a", wait_once)
    thread.join(60)
    assert not thread.is_alive()


def wait_once() -> None:
    with locks.fair("a", lease=60, wait=200):
        pass


def test_a_second_wait_needs_no_new_connection() -> None:
    wait_in_line()
    before = connections()
    for _ in range(20):
        wait_in_line()
    # Two threads that ask in one instant may need one more plain one; without ears it is one for each wait.
    assert connections() - before < 5


def test_a_connection_that_died_meanwhile_is_replaced() -> None:
    wait_in_line()
    client.get().client_kill_filter(_type="normal", skipme=True)
    client.get().client_kill_filter(_type="pubsub", skipme=True)
    wait_in_line()


def test_a_server_that_was_away_and_came_back_is_heard(redis_away_now: Callable[[], None]) -> None:
    wait_in_line()
    there = client.get(drivers.CONNECTION_NAME)
    redis_away_now()
    assert client.get(drivers.CONNECTION_NAME) is not there
    with pytest.raises(client.UNAVAILABLE), drivers.subscribed("nowhere"):
        pass


def test_no_more_are_kept_than_a_process_needs() -> None:
    with locks.fair("a", lease=60):
        threads = [lock_waiters.start_waiter("a", wait_once) for _ in range(drivers.MAX_IDLE + 4)]
    for thread in threads:
        thread.join(60)
    assert len(drivers._idle[client.get(drivers.CONNECTION_NAME)]) <= drivers.MAX_IDLE


def test_word_for_an_earlier_wait_wakes_at_most_once() -> None:
    with drivers.subscribed("first"):
        client.get().publish("first", "1")
    with drivers.subscribed("second") as heard:
        drivers.wait_for_message(heard, "message", 0.05)
        assert not drivers.wait_for_message(heard, "message", 0.05)
        client.get().publish("second", "1")
        assert drivers.wait_for_message(heard, "message", 5)


def test_a_fork_does_not_listen_on_its_parent_s_connection(children: Children) -> None:
    wait_in_line()
    with locks.fair("a", lease=60):
        child = children.start(wait_once)
        lock_waiters.wait_until(lambda: lock_waiters.waiter_ids("a"))
        thread = threading.Thread(target=wait_once)
        thread.start()
        lock_waiters.wait_until(lambda: len(lock_waiters.waiter_ids("a")) == 2)
    assert children.ending(child) == 0
    thread.join(60)
    assert not thread.is_alive()
