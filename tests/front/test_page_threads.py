"""Threads of pages are shared: an address has half of them at most, and what is slow a lot of its own."""

import asyncio
from collections import Counter
from http import HTTPStatus
from random import Random

import pytest

from apps.front import page_threads
from apps.front.page_threads import Crowded, PageThreads, Turn, kind_of

NEVER = 10_000.0


def begin(threads: PageThreads, address: str, kind: str = "/") -> "asyncio.Task[Turn]":
    return asyncio.create_task(threads.begin(address, kind))


async def settle() -> None:
    """Let all that can go on go on."""
    for _ in range(20):
        await asyncio.sleep(0)


async def leave(tasks: "list[asyncio.Task[Turn]]") -> None:
    """Have all of them leave at once, whether they wait or not."""
    for task in tasks:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(each, Turn | asyncio.CancelledError) for each in ended), ended


def started(tasks: "list[asyncio.Task[Turn]]") -> list[int]:
    return [number for number, task in enumerate(tasks) if task.done()]


async def test_an_address_holds_half_of_the_threads_and_leaves_the_rest_to_others() -> None:
    threads = PageThreads(4, slow_seconds=NEVER)
    greedy = [begin(threads, "a") for _ in range(8)]
    await settle()
    assert started(greedy) == [0, 1]
    other = begin(threads, "b")
    await settle()
    assert other.done()
    threads.end(greedy[0].result())
    await settle()
    assert started(greedy) == [0, 1, 2]


async def test_addresses_that_wait_take_turns() -> None:
    threads = PageThreads(3, slow_seconds=NEVER)
    held = [begin(threads, name) for name in "xy"]
    await settle()
    many = [begin(threads, "a") for _ in range(3)]
    await settle()
    others = [begin(threads, name) for name in "bc"]
    await settle()
    threads.end(held[0].result())
    threads.end(held[1].result())
    await settle()
    # One of those who sent three, and then the other addresses.
    assert (started(many), started(others)) == ([0], [0])
    threads.end(many[0].result())
    await settle()
    assert (started(many), started(others)) == ([0], [0, 1])


async def test_who_holds_a_thread_for_long_leaves_its_place_and_its_kind_waits_apart() -> None:
    threads = PageThreads(4, slow_seconds=0.0)
    stuck = [begin(threads, name, "/shops/0/") for name in "abc"]
    await settle()
    await asyncio.sleep(0.01)
    # All have moved to the second lot.
    assert (threads.quick.free, threads.slow.free) == (4, 1)
    more = [begin(threads, name, "/shops/0/") for name in "efgh"]
    others = [begin(threads, name, "/notes/") for name in "ef"]
    await settle()
    assert started(more) == []
    assert started(others) == [0, 1]
    # Half of the second lot is kept for who comes late from the first.
    for task in (stuck[0], *others):
        threads.end(task.result())
    await settle()
    assert (started(more), threads.slow.free) == ([], 2)
    for task in stuck[1:]:
        threads.end(task.result())
    await settle()
    assert len(started(more)) == 2


async def test_those_of_two_kinds_that_are_stuck_leave_places_to_others() -> None:
    threads = PageThreads(4, slow_seconds=0.0)
    for kind in ("/shops/0/", "/search/"):
        for name in "abcd":
            begin(threads, name, kind)
        await settle()
        await asyncio.sleep(0.01)
    other = begin(threads, "e", "/notes/")
    await settle()
    assert other.done()


async def test_a_kind_is_slow_while_several_of_it_are_late_and_no_longer() -> None:
    threads = PageThreads(4, late_seconds=0.0, slow_seconds=NEVER)
    first = await threads.begin("a", "/export/")
    await asyncio.sleep(0.01)
    assert threads._lot_of("/export/", 0.0) is threads.quick
    second = await threads.begin("b", "/export/")
    await asyncio.sleep(0.01)
    assert threads._lot_of("/export/", 0.0) is threads.slow
    threads.end(first)
    assert threads._lot_of("/export/", 0.0) is threads.quick
    threads.end(second)
    assert (threads.quick.free, threads.slow.free, +threads._late_of) == (4, 4, Counter())


async def test_fifty_addresses_that_want_one_kind_wait_beside_who_wants_another() -> None:
    threads = PageThreads(3, slow_seconds=NEVER)
    held = [await threads.begin(name, "/notes/0/") for name in "xy"]
    crowd = [begin(threads, f"a{number}", "/notes/0/") for number in range(50)]
    await settle()
    # One place is no kind's own.
    others = [begin(threads, name, "/orders/") for name in "bc"]
    await settle()
    assert (started(crowd), started(others)) == ([], [0])
    for turn in held:
        threads.end(turn)
    await settle()
    assert (started(crowd), started(others)) == ([0], [0, 1])
    await leave(crowd)


async def test_who_waits_for_the_second_lot_is_refused_in_time() -> None:
    threads = PageThreads(2, slow_seconds=0.0, slow_wait_seconds=0.02)
    stuck = await threads.begin("a", "/slow/")
    await asyncio.sleep(0.01)
    with pytest.raises(Crowded) as refused:
        await threads.begin("c", "/slow/")
    assert refused.value.status is HTTPStatus.SERVICE_UNAVAILABLE
    assert len(threads.slow) == 0
    threads.end(stuck)
    threads.end(await threads.begin("c", "/slow/"))


async def test_those_of_a_kind_that_became_slow_while_they_waited_wait_apart() -> None:
    threads = PageThreads(1, slow_seconds=0.0)
    stuck = begin(threads, "a", "/slow/")
    waiting = [begin(threads, "b", "/slow/"), begin(threads, "c", "/quick/")]
    await settle()
    await asyncio.sleep(0.01)
    assert stuck.done()
    assert started(waiting) == [1]


async def test_too_many_of_an_address_are_told_so_and_others_are_not() -> None:
    threads = PageThreads(2, slow_seconds=NEVER)
    tasks = [begin(threads, "a") for _ in range(1 + page_threads.MAX_WAITING_OF_ADDRESS)]
    await settle()
    with pytest.raises(Crowded) as refused:
        await threads.begin("a", "/")
    assert refused.value.status is HTTPStatus.TOO_MANY_REQUESTS
    threads.end(await threads.begin("b", "/notes/"))
    await leave(tasks)


async def test_no_more_wait_for_the_second_lot_than_it_can_serve() -> None:
    threads = PageThreads(2, slow_seconds=0.0)
    stuck = await threads.begin("a", "/slow/")
    await asyncio.sleep(0.01)
    tasks = [begin(threads, f"b{number}", "/slow/") for number in range(page_threads.MAX_WAITING_SLOW)]
    await settle()
    with pytest.raises(Crowded) as refused:
        await threads.begin("c", "/slow/")
    assert refused.value.status is HTTPStatus.SERVICE_UNAVAILABLE
    threads.end(stuck)
    await leave(tasks)


@pytest.mark.parametrize("slow_seconds", [0.0, NEVER])
async def test_whatever_comes_and_leaves_all_places_come_back(slow_seconds: float) -> None:
    """Visits of many addresses and kinds, some of whose clients leave while they wait or hold a place."""
    chance, threads, done = Random(7), PageThreads(4, slow_seconds=slow_seconds), Counter[str]()

    async def visit(address: str, kind: str, steps: int) -> None:
        turn = await threads.begin(address, kind)
        try:
            assert threads._taken[address] <= threads.share
            for _ in range(steps):
                await asyncio.sleep(0)
        finally:
            threads.end(turn)
        done["served"] += 1

    tasks = []
    for _ in range(600):
        visited = visit(chance.choice("abcdefgh"), chance.choice(["/", "/slow/"]), chance.randrange(6))
        tasks.append(asyncio.create_task(visited))
        if chance.random() < 0.2:
            chance.choice(tasks).cancel()
        await asyncio.sleep(0)
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(error) for error in ended if error} <= {asyncio.CancelledError, Crowded}
    assert done["served"] > 100
    assert (threads.quick.free, threads.slow.free) == (4, 4)
    assert not threads._late_of
    assert not threads._quick_of
    assert not threads.quick.waiting
    assert not threads.slow.waiting
    assert not threads._taken
    assert not threads._waiting


def test_pages_of_a_kind_differ_in_numbers_only() -> None:
    assert kind_of("/shops/17/") == kind_of("/shops/4/") != kind_of("/notes/4/")
    assert kind_of("/api/shops") != kind_of("/api/notes")
    assert len(kind_of("/x" * 5_000)) < 130
