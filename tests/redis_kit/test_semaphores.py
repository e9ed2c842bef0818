"""Never more holders than permits, whoever comes, dies or asks with fewer permits."""

import threading
from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from apps.redis_kit import client, keys, locks, semaphores
from apps.redis_kit.locks import drivers
from apps.redis_kit.locks.protocol import Answer, Request
from tests.redis_kit import waiting
from tests.redis_kit.conftest import Race

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
    thread = waiting.waiter(NAME, permit(wait=60).acquire)
    held[0].release()
    thread.join(5)
    assert not thread.is_alive()
    assert holders() == 3


def test_a_holder_that_died_gives_its_permit_back() -> None:
    for _ in range(3):
        permit().acquire()
    waiting.end_leases(NAME)
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
    def give_back(self, data: st.DataObject) -> None:
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


TestPermits = Permits.TestCase
TestPermits.settings = settings(max_examples=200, stateful_step_count=50, deadline=None)
