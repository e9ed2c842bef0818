"""Copies: complete or absent, filled under a lease, dropped by a change, compared twice, rebuilt."""

from collections.abc import Callable, Collection
from datetime import timedelta

import pytest
from redis import Redis

from apps.redis_kit import client, copies
from apps.redis_kit.findings import Finding
from tests.redis_kit.keys import COPY, COPY_LEASE, LIST_COPY, LIST_LEASE

SECONDS = 60


class Rows(dict[int, set[int]]):
    """Rows of SQL by owner, which count how often they are read."""

    reads = 0

    def query(self, owners: Collection[int]) -> dict[int, set[int]]:
        self.reads += 1
        return {owner: set(self.get(owner, ())) for owner in owners}


@pytest.fixture
def rows(guarded_redis: Redis) -> Rows:
    return Rows({7: {1, 2}, 8: {2, 3}, 9: set()})


@pytest.fixture
def sets(rows: Rows) -> copies.LeasedSet:
    return copies.LeasedSet(
        COPY,
        COPY_LEASE,
        query=rows.query,
        expiry=timedelta(seconds=SECONDS),
        finding=("owner", "members"),
        owners=lambda: (len(rows), [[7, 8], [9]]),
        is_renewed=True,
    )


@pytest.fixture
def lists(guarded_redis: Redis) -> copies.LeasedList[int]:
    return copies.LeasedList(
        LIST_COPY,
        LIST_LEASE,
        query=lambda owners: dict.fromkeys(owners, [1, 2]),
        expiry=timedelta(seconds=SECONDS),
        finding=("everybody", "list"),
    )


def test_a_reader_fills_an_absent_set_and_the_next_reads_no_rows(sets: copies.LeasedSet, rows: Rows) -> None:
    assert [sets.read(owner) for owner in (7, 9, 7, 9)] == [{1, 2}, set(), {1, 2}, set()]
    assert rows.reads == 2
    assert sets.subset(7, [2, 3]) == {2}
    assert sets.subset(8, [2, 5]) == {2}
    assert sets.intersection(7, 8) == {2}
    assert sets.intersection(7, 9) == set()
    assert rows.reads == 3, "only the set of 8 was absent"


def test_a_set_expires_and_reading_renews_it(sets: copies.LeasedSet, guarded_redis: Redis) -> None:
    sets.read(7)
    assert 0 < guarded_redis.ttl(sets.copy_key(7)) <= SECONDS
    reads: list[Callable[[], object]] = [
        lambda: sets.read(7),
        lambda: sets.subset(7, [1]),
        lambda: sets.intersection(7, 7),
    ]
    for read in reads:
        guarded_redis.expire(sets.copy_key(7), 5)
        read()
        assert guarded_redis.ttl(sets.copy_key(7)) > 5


def test_rows_from_before_a_change_fill_nothing(sets: copies.LeasedSet, guarded_redis: Redis) -> None:
    token = sets.take_leases([7])
    sets.forget([7])
    assert sets.fill({7: {1, 2, 5}}, token) == 0
    assert not guarded_redis.exists(sets.copy_key(7))


def test_a_list_without_its_mark_is_absent(lists: copies.LeasedList[int], guarded_redis: Redis) -> None:
    assert lists.read(0) == lists.read(0) == [1, 2]
    assert guarded_redis.lrange(LIST_COPY(), 0, -1) == ["*", "1", "2"]
    guarded_redis.lpop(LIST_COPY())
    assert lists.read_copies([0]) == {}
    assert lists.read(0) == [1, 2]


def test_a_key_without_a_part_is_compared_as_everybody_s(
    lists: copies.LeasedList[int], guarded_redis: Redis
) -> None:
    assert list(lists.compare(fix=False)) == [(0, [])], "an absent copy is no difference"
    lists.read(0)
    guarded_redis.rpush(LIST_COPY(), 3)
    found = [Finding("everybody", "list", "3, 2 of them right", "2")]
    assert list(lists.compare(fix=True)) == [(0, found)]
    assert lists.read(0) == [1, 2]


def test_copies_that_differ_are_found_and_dropped(sets: copies.LeasedSet, guarded_redis: Redis) -> None:
    sets.load([7, 8, 9])
    guarded_redis.sadd(sets.copy_key(8), *range(10, 20))
    guarded_redis.srem(sets.copy_key(8), 3)
    found = [Finding("owner 8", "members", "10, 11, 12, 13, 14 …", "3")]
    assert list(sets.compare(fix=False)) == [(9, found)]
    assert list(sets.compare(fix=False, after=8)) == [(9, [])]
    assert list(sets.check_all(fix=True)) == found
    assert sets.read_copies([7, 8, 9]) == {7: {1, 2}, 9: set()}
    assert list(sets.check_all(fix=True)) == []


def test_a_change_between_the_two_comparisons_is_no_difference(sets: copies.LeasedSet, rows: Rows) -> None:
    sets.load([7])
    rows[7] = {1, 2, 4}

    def change_after_the_first(owners: Collection[int]) -> dict[int, set[int]]:
        found = rows.query(owners)
        sets.forget(list(owners))
        return found

    sets.query = change_after_the_first
    assert sets.check([7], fix=True) == []


def test_a_rebuild_fills_all_owners_and_tells_how_far_it_is(sets: copies.LeasedSet) -> None:
    progress: list[tuple[int, int]] = []
    assert sets.rebuild(lambda done, total: progress.append((done, total))) == 3
    assert progress == [(2, 3), (3, 3)]
    assert sets.read_copies([7, 8, 9]) == {7: {1, 2}, 8: {2, 3}, 9: set()}


@pytest.mark.usefixtures("redis_away")
def test_without_redis_the_rows_answer(sets: copies.LeasedSet) -> None:
    assert (sets.read(7), sets.subset(7, [2, 3]), sets.intersection(7, 8)) == ({1, 2}, {2}, {2})
    assert sets.load([9]) == {9: set()}
    sets.forget([7])
    with pytest.raises(client.UNAVAILABLE):
        list(sets.check_all(fix=True))
    with pytest.raises(client.UNAVAILABLE):
        sets.rebuild(lambda _done, _total: None)


def test_a_key_says_its_parts() -> None:
    assert COPY.parse(COPY(owner=7)) == {"owner": "7"}
    assert COPY.parse(LIST_COPY()) is None
