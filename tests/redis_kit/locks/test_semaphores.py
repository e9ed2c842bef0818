"""Never more holders than permits, whoever comes, dies or asks with fewer permits."""

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from apps.redis_kit import client, keys, locks
from apps.redis_kit.locks import drivers, semaphores
from apps.redis_kit.locks.protocol import Answer, Request
from tests.races import Race
from tests.redis_kit.locks import lock_waiters
from tests.redis_kit.streams.stream_worker import Children

NAME = "semaphore:exports"


def permit(permits: int = 3, *, wait: float | None = 0) -> locks.Lock:
    return semaphores.semaphore("exports", permits=permits, lease=60, wait=wait)


def holders() -> int:
    return client.get().zcard(keys.LOCK_HOLDERS(name=NAME))


def test_so_many_hold_and_the_next_is_refused() -> None:
    taken = [permit().acquire() for _ in range(4)]
    assert taken == [True, True, True, False]


def test_a_released_permit_goes_to_who_waits() -> None:
    held = [permit() for _ in range(3)]
    for one in held:
        one.acquire()
    thread = lock_waiters.start_waiter(NAME, permit(wait=200).acquire)
    held[0].release()
    thread.join(60)
    assert not thread.is_alive()
    assert holders() == 3


def test_a_holder_that_died_gives_its_permit_back() -> None:
    for _ in range(3):
        permit().acquire()
    lock_waiters.end_leases(NAME)
    assert permit().acquire()


def test_a_holder_refreshes_its_own_lease() -> None:
    one, other = permit(), permit()
    assert one.acquire()
    assert other.acquire()
    one.extend(120, replace_ttl=True)
    ends = [
        client.get().zscore(keys.LOCK_HOLDERS(name=NAME), lock.hold.request.member) for lock in (one, other)
    ]
    assert 59_000 < float(ends[0] or 0) - float(ends[1] or 0) < 61_000


def test_fewer_permits_hold_for_those_who_ask_now() -> None:
    held = [permit(3) for _ in range(3)]
    for one in held:
        one.acquire()
    held[0].release()
    assert permit(2).acquire() is False
    held[1].release()
    assert permit(2).acquire() is True


def test_a_killed_holder_s_permit_comes_back_after_its_lease(children: Children) -> None:
    bound = semaphores.SiteSemaphore("exports", permits=1, lease=0.4)
    read, write = os.pipe()

    def hold() -> None:
        assert bound.acquire(wait=0)
        os.write(write, b"held")
        signal.pause()

    child = children.start(hold)
    assert os.read(read, 4) == b"held"
    os.kill(child, signal.SIGKILL)
    children.ending(child)
    assert bound.acquire(wait=30)


def test_a_permit_is_refreshed_and_given_back_by_another_thread(race: Race) -> None:
    bound = semaphores.SiteSemaphore("exports", permits=1, lease=60)
    permit = bound.acquire(wait=0)
    assert permit
    assert race(1, lambda _: permit.renew()) == [True]
    assert bound.acquire(wait=0) is None
    race(1, lambda _: permit.release())
    assert bound.acquire(wait=0)


def test_a_permit_whose_lease_ended_says_so_and_harms_nobody() -> None:
    bound = semaphores.SiteSemaphore("exports", permits=1, lease=60)
    late = bound.acquire(wait=0)
    assert late
    lock_waiters.end_leases(NAME)
    assert bound.acquire(wait=0)
    assert not late.renew()
    late.release()
    assert bound.acquire(wait=0) is None, "the other's permit is still its own"


def test_without_redis_a_process_counts_for_itself(redis_away: None) -> None:
    bound = semaphores.SiteSemaphore("exports", permits=2, lease=60)
    taken = [bound.acquire(wait=0) for _ in range(3)]
    assert [bool(permit) for permit in taken] == [True, True, False]
    assert taken[0]
    assert taken[0].renew()
    taken[0].release()
    assert bound.acquire(wait=0)


def test_a_permit_taken_before_redis_went_away_is_given_up_without_a_word(
    redis_away_now: Callable[[], None],
) -> None:
    permit = semaphores.SiteSemaphore("exports", permits=1, lease=60).acquire(wait=0)
    redis_away_now()
    assert permit
    assert permit.renew(), "nobody knows, so the work goes on"
    permit.release()


@pytest.mark.parametrize("permits", [1, 4])
def test_in_a_race_no_more_than_the_permits_are_inside(permits: int, race: Race) -> None:
    inside, most, guard = set[int](), list[int](), threading.Lock()

    def work(number: int) -> None:
        with permit(permits, wait=100):
            with guard:
                inside.add(number)
                most.append(len(inside))
            with guard:
                inside.remove(number)

    assert race(40, work) == [None] * 40
    assert max(most) <= permits


@pytest.mark.parametrize("many", [100])
def test_of_a_hundred_exactly_the_permits_get_in(many: int, race: Race) -> None:
    answers = race(many, lambda _: permit(7).acquire())
    assert sorted(map(bool, answers)) == [False] * 93 + [True] * 7


class Permits(RuleBasedStateMachine):
    """Asks, gives back, dies, is frozen past its lease, shrinks: against a list of who may hold."""

    def __init__(self) -> None:
        super().__init__()
        client.get().flushall()
        self.permits = 3
        self.asked: list[Request] = []
        self.model: list[str] = []

    @rule()
    def ask(self) -> None:
        request = replace(permit(self.permits)._request(), fair=False)
        self._ask(request)
        self.asked.append(request)

    @precondition(lambda self: self.asked)
    @rule(data=st.data())
    def ask_again(self, data: st.DataObject) -> None:
        self._ask(replace(data.draw(st.sampled_from(self.asked)), permits=self.permits))

    @precondition(lambda self: self.asked)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        request = data.draw(st.sampled_from(self.asked))
        was = drivers.call(request.release(), client.get())
        assert was == (request.acquisition in self.model)
        self.model = [one for one in self.model if one != request.acquisition]

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def a_lease_ends(self, data: st.DataObject) -> None:
        gone = data.draw(st.sampled_from(self.model))
        for member in client.get().zrange(keys.LOCK_HOLDERS(name=NAME), 0, -1):
            if str(member).endswith(gone):
                client.get().zadd(keys.LOCK_HOLDERS(name=NAME), {str(member): 1})
        self.model.remove(gone)

    @rule(permits=st.integers(1, 6))
    def permits_change(self, permits: int) -> None:
        self.permits = permits

    @invariant()
    def the_server_holds_what_the_model_holds(self) -> None:
        live = client.get().zrangebyscore(keys.LOCK_HOLDERS(name=NAME), 2, "+inf")
        assert sorted(str(member).rpartition("|")[2] for member in live) == sorted(self.model)

    def _ask(self, request: Request) -> None:
        reply = drivers.call(request.acquire(join=False), client.get())
        may = request.acquisition in self.model or len(self.model) < self.permits
        assert not isinstance(reply, bool)
        assert (reply.answer is Answer.HELD) == may
        if may and request.acquisition not in self.model:
            self.model.append(request.acquisition)


TestPermits = pytest.mark.wide(Permits.TestCase)
TestPermits.settings = settings(max_examples=200, stateful_step_count=50, deadline=None)
