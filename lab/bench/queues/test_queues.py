"""Four queues whose consumer is killed twice: what each of them loses, keeps and does again."""

import json

import pytest

from apps.patterns import keys, queue_designs
from apps.redis_kit import client
from lab.bench.queues import command, measurement

MESSAGES = 48


def nothing_is_left() -> bool:
    return not any(list(client.get().scan_iter(key.scan_pattern)) for key in keys.COMPARED_KEYS)


def test_a_list_loses_what_the_dead_one_held() -> None:
    found = measurement.measure(queue_designs.ListQueue, MESSAGES)
    assert (found.lost, found.twice, found.kept, found.waiting) == (1, 0, 0, 0)
    assert nothing_is_left()


def test_a_list_with_backup_loses_none_and_repeats_what_was_not_finished() -> None:
    found = measurement.measure(queue_designs.ListWithBackupQueue, MESSAGES)
    assert (found.lost, found.twice, found.kept, found.waiting) == (0, 1, 1, 0)
    assert nothing_is_left()


def test_pub_sub_loses_what_nobody_heard() -> None:
    found = measurement.measure(queue_designs.PubSubQueue, MESSAGES)
    part = MESSAGES // 6
    in_its_hands, behind_it, to_nobody = 1, part, 2 * part
    assert found.lost == in_its_hands + behind_it + to_nobody
    assert (found.twice, found.kept, found.waiting) == (0, 0, 0)
    assert nothing_is_left()


def test_a_stream_loses_none_and_repeats_batches_that_were_not_finished() -> None:
    found = measurement.measure(queue_designs.StreamQueue, MESSAGES)
    assert (found.lost, found.waiting) == (0, 0)
    assert 1 <= found.twice <= queue_designs.BATCH_MESSAGES
    assert found.kept >= 1
    assert nothing_is_left()


def test_a_comparison_that_is_broken_off_leaves_nothing() -> None:
    def enough(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(measurement.compare(MESSAGES, enough))
    assert nothing_is_left()


def test_the_command_shows_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--messages=12"], {}) == 0
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if "stream with group" in line]
    assert "handled twice" in out


def test_the_command_speaks_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([], {"MESSAGES": "12", "JSON": "1"}) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["design"] for one in found] == ["list", "list with backup", "pub/sub", "stream with group"]
    assert all(one["per_second"] > 0 for one in found)


@pytest.mark.parametrize("messages", ["0", "11", "-1", "100001"])
def test_a_number_that_makes_no_sense_is_refused(messages: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.parse_options([f"--messages={messages}"], {})
    assert "12 to 100,000" in capsys.readouterr().err
