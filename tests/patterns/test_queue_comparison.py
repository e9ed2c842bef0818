"""Four queues whose consumer is killed twice: what each of them loses, keeps and does again."""

import json
from io import StringIO

import pytest
import redis
from django.core.management import CommandError, call_command

from apps.patterns import keys
from apps.patterns.queue_comparison import designs, measurement
from apps.redis_kit import client

MESSAGES = 48


def nothing_is_left() -> bool:
    return not any(list(client.get().scan_iter(key.scan_pattern)) for key in keys.COMPARED_KEYS)


def test_a_list_loses_what_the_dead_one_held() -> None:
    found = measurement.measure(designs.ListQueue, MESSAGES)
    assert (found.lost, found.twice, found.kept, found.waiting) == (1, 0, 0, 0)
    assert nothing_is_left()


def test_a_list_with_backup_loses_none_and_repeats_what_was_not_finished() -> None:
    found = measurement.measure(designs.ListWithBackupQueue, MESSAGES)
    assert (found.lost, found.twice, found.kept, found.waiting) == (0, 1, 1, 0)
    assert nothing_is_left()


def test_pub_sub_loses_what_nobody_heard() -> None:
    found = measurement.measure(designs.PubSubQueue, MESSAGES)
    part = MESSAGES // 6
    in_its_hands, behind_it, to_nobody = 1, part, 2 * part
    assert found.lost == in_its_hands + behind_it + to_nobody
    assert (found.twice, found.kept, found.waiting) == (0, 0, 0)
    assert nothing_is_left()


def test_a_stream_loses_none_and_repeats_batches_that_were_not_finished() -> None:
    found = measurement.measure(designs.StreamQueue, MESSAGES)
    assert (found.lost, found.waiting) == (0, 0)
    assert 1 <= found.twice <= designs.BATCH_MESSAGES
    assert found.kept >= 1
    assert nothing_is_left()


def test_a_comparison_that_is_broken_off_leaves_nothing() -> None:
    def enough(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(measurement.compare(MESSAGES, enough))
    assert nothing_is_left()


def test_what_is_sent_ends_by_itself_when_nobody_clears_it(guarded_redis: redis.Redis) -> None:
    for design, key in (
        (designs.ListQueue, keys.COMPARED_QUEUE),
        (designs.StreamQueue, keys.COMPARED_STREAM),
    ):
        design("left").send(["00000001"])
        assert 590 < guarded_redis.ttl(key(run="left")) <= 600


def test_the_command_shows_a_table() -> None:
    out = StringIO()
    call_command("compare_queues", "--messages=12", stdout=out)
    assert [line for line in out.getvalue().splitlines() if "stream with group" in line]
    assert "handled twice" in out.getvalue()


def test_the_command_speaks_json() -> None:
    out = StringIO()
    call_command("compare_queues", "--messages=12", "--json", stdout=out)
    found = json.loads(out.getvalue())
    assert [one["design"] for one in found] == ["list", "list with backup", "pub/sub", "stream with group"]
    assert all(one["per_second"] > 0 for one in found)


@pytest.mark.parametrize("messages", ["0", "11", "-1", "100001"])
def test_a_number_that_makes_no_sense_is_refused(messages: str) -> None:
    with pytest.raises(CommandError, match="12 to 100,000"):
        call_command("compare_queues", f"--messages={messages}")
