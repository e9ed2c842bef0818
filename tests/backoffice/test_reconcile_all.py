"""`reconcile` compares what all apps registered with SQL's rows."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.core.management import CommandError, call_command
from django.utils import timezone
from kombu.transport.redis import Channel

from apps.accounts.models import User
from apps.blog import keys, likes
from apps.blog.models import Note
from apps.follows import graph
from apps.follows.models import Standing
from apps.metrics.gauges import GAUGES
from apps.monitoring import tasks
from apps.monitoring.models import ReconcileResult
from apps.monitoring.reconcile import parts, runs
from apps.queues.keys import CELERY_QUEUE
from apps.redis_kit import schema
from apps.redis_kit.findings import Finding
from apps.shops.geo import rebuilding
from apps.shops.models import Shop
from apps.signins import check_ins
from apps.signins.models import Standing as SignInStanding
from tests.blog import feed_makers
from tests.differences import find_differences

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def liked(alice: User, bob: User) -> Note:
    """Bob follows Alice, reads his feed, likes her note and has checked in."""
    graph.follow(bob.pk, alice.pk)
    feed_makers.read_all_pages(bob)
    note = feed_makers.publish(alice)
    find_differences("blog.scores", fix=True)
    rebuilding.rebuild()
    likes.like(note.pk, bob.pk)
    likes.for_note_page(Note.objects.get(pk=note.pk), bob.pk)
    graph.followed_ids(bob.pk)
    check_ins.check_in_today(bob.pk)
    return note


def corrupt_every_subject(note: Note, reader: User, connected: redis.Redis) -> None:
    """Every subject says something wrong."""
    Note.objects.filter(pk=note.pk).update(comments=4)
    connected.zrem(keys.FIRST_LIKERS(note=note.pk), reader.pk)
    Shop.objects.filter(pk=note.shop_id).update(reviews=3)
    Standing.objects.filter(pk=reader.pk).update(following=7)
    connected.zrem(keys.FEED_INBOX(shard=reader.pk % 16, reader=reader.pk), f"{note.pk:019d}")
    SignInStanding.objects.filter(pk=reader.pk).update(total=9)


def run_command(capsys: Any, *options: str) -> dict[str, Any]:
    try:
        call_command("reconcile", "--json", *options)
        clean = True
    except SystemExit as ended:
        clean = ended.code == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert report["clean"] is clean
    return report


def test_where_all_agrees_nothing_is_told(liked: Note, capsys: Any) -> None:
    report = run_command(capsys)
    assert (report["clean"], report["fixed"], report["left"]) == (True, [], [])
    assert set(report["parts"]) == {part.name for part in parts.select()}


def test_every_difference_is_told_and_then_mended(
    liked: Note, bob: User, guarded_redis: redis.Redis, capsys: Any
) -> None:
    corrupt_every_subject(liked, bob, guarded_redis)
    found = run_command(capsys)["left"]
    assert {(one["part"], one["aspect"]) for one in found} == {
        ("blog.notes", "comments"),
        ("blog.notes", "first likers"),
        ("blog.scores", "rating / reviews / taste / room / service"),
        ("follows.people", "counts"),
        ("blog.feeds", "inbox"),
        ("signins.check_ins", "totals"),
    }
    mended = run_command(capsys, "--fix")
    assert (mended["clean"], mended["fixed"], mended["left"]) == (True, found, [])
    assert run_command(capsys)["clean"]


def test_the_table_says_what_is_wrong(liked: Note, capsys: Any) -> None:
    Note.objects.filter(pk=liked.pk).update(comments=4)
    with pytest.raises(SystemExit) as ended:
        call_command("reconcile")
    assert ended.value.code == 1
    assert "comments" in capsys.readouterr().out


def test_parts_are_listed_and_chosen_by_app_or_name(liked: Note, capsys: Any) -> None:
    call_command("reconcile", "--list", "--part", "blog")
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "blog.dishes",
        "blog.feeds",
        "blog.notes",
        "blog.scores",
    ]
    Note.objects.filter(pk=liked.pk).update(comments=4)
    assert list(run_command(capsys, "--part", "blog.scores", "--part", "follows")["parts"]) == [
        "blog.scores",
        "follows.people",
    ]
    assert not run_command(capsys, "--part", "blog.notes")["clean"]


def test_a_part_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(CommandError, match=r"no part blog\.likes; there are: .*blog\.notes"):
        call_command("reconcile", "--part", "blog.likes")


def test_a_part_that_fails_is_not_clean_and_keeps_no_other_from_its_turn(liked: Note, capsys: Any) -> None:
    def break_down(fix: bool, after: int) -> Iterator[tuple[int, list[Finding]]]:
        yield 1, []
        raise ValueError("a field that nobody wrote")

    broken = parts.Part("aaa.broken", break_down, "breaks")
    with parts.PARTS.registered(broken, key="aaa.broken", order=0):
        report = run_command(capsys, "--fix")
    assert [(one["part"], one["aspect"]) for one in report["left"]] == [("aaa.broken", runs.FAILED)]
    assert set(report["parts"]) == {"aaa.broken"} | {part.name for part in parts.select()}


@pytest.mark.both_databases
def test_the_task_mends_what_is_due(liked: Note, bob: User, guarded_redis: redis.Redis) -> None:
    corrupt_every_subject(liked, bob, guarded_redis)
    assert tasks.reconcile() == 6
    Note.objects.filter(pk=liked.pk).update(comments=4)
    assert tasks.reconcile() == 0, "no part is due before its hour is over"
    ReconcileResult.objects.filter(part="blog.notes").update(ran_at=timezone.now() - timedelta(hours=2))
    assert [part.name for part in runs.list_due()] == ["blog.notes"]
    assert tasks.reconcile() == 1


def test_a_task_that_has_no_time_left_goes_on_with_those_that_waited_longest(
    liked: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "RUN_SECONDS", 0)
    waiting = [part.name for part in runs.list_due()]
    for _ in waiting:
        tasks.reconcile()
    ran = list(ReconcileResult.objects.order_by("ran_at").values_list("part", flat=True))
    assert ran == waiting
    assert runs.list_due() == []


class Table:
    """A part of 5 rows in batches of one, of which row 2 and row 5 differ until they are repaired."""

    def __init__(self) -> None:
        self.wrong, self.compared = {2, 5}, list[int]()

    def compare(self, fix: bool, after: int) -> Iterator[tuple[int, list[Finding]]]:
        for row in range(after + 1, 6):
            self.compared.append(row)
            found = [Finding(f"row {row}", "value")] if row in self.wrong else []
            if fix:
                self.wrong.discard(row)
            yield row, found
        yield after, []


@pytest.mark.both_databases
def test_a_long_walk_stops_in_time_and_goes_on_after_its_last_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "PART_SECONDS", -1.0)
    table, name = Table(), "aaa.walk"
    with parts.PARTS.registered(parts.Part(name, table.compare, "walks"), key=name, order=0):
        for row in (1, 2, 3, 4, 5):
            (part,) = (each for each in runs.list_due() if each.name == name)
            runs._run_next_rows(part)
            result = ReconcileResult.objects.get(part=name)
            assert (result.stopped_after, result.clean_at) == (row, None)
            table_rows, table.compared = table.compared, []
            # A row that was repaired is looked at again, and no other.
            assert table_rows == ([row, row] if row in {2, 5} else [row])
        runs._run_next_rows(part)
        assert name not in {each.name for each in runs.list_due()}
    result = ReconcileResult.objects.get(part=name)
    assert (result.stopped_after, result.fixed, result.left) == (0, 2, 0)
    assert result.clean_at


def test_walks_in_turn_stop_in_each_and_compare_every_row_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "PART_SECONDS", -1.0)
    tables, name = [Table(), Table()], "aaa.walks"
    compare = parts.in_turn(*(table.compare for table in tables))
    with parts.PARTS.registered(parts.Part(name, compare, "walks"), key=name, order=0):
        (part,) = parts.select([name])
        for _ in range(2 * 6 + 1):
            runs._run_next_rows(part)
        # The rows of both, then the end of the last walk.
        result = ReconcileResult.objects.get(part=name)
        assert (result.stopped_after, result.fixed, result.left) == (0, 4, 0)
    assert [sorted(set(table.compared)) for table in tables] == [[1, 2, 3, 4, 5]] * 2
    assert all(
        table.compared.count(row) == (2 if row in {2, 5} else 1) for table in tables for row in range(1, 6)
    )


def test_the_command_walks_to_the_end(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "PART_SECONDS", -1.0)
    table = Table()
    with parts.PARTS.registered(parts.Part("aaa.walk", table.compare, "walks"), key="aaa.walk", order=0):
        assert len(run_command(capsys, "--part", "aaa.walk")["left"]) == 2
    assert table.compared == [1, 2, 3, 4, 5]


def test_metrics_tell_the_age_of_the_last_clean_run(liked: Note, capsys: Any) -> None:
    run_command(capsys)
    Note.objects.filter(pk=liked.pk).update(comments=4)
    ReconcileResult.objects.filter(part="blog.notes").update(clean_at=timezone.now() - timedelta(hours=3))
    run_command(capsys, "--part", "blog.notes")
    gauges = {name: gauge.read() for name, gauge in GAUGES.items() if name.startswith("savor_reconcile_")}
    assert gauges["savor_reconcile_clean_age_seconds"]["blog.notes"] >= 3 * 3_600
    assert gauges["savor_reconcile_clean_age_seconds"]["blog.scores"] < 3_600
    assert gauges["savor_reconcile_differences"]["blog.notes"] == 1
    assert gauges["savor_reconcile_repaired"]["blog.notes"] == 0


def test_keys_of_celery_and_of_admin_sessions_are_known_and_left_alone(
    liked: Note, guarded_redis: redis.Redis, capsys: Any
) -> None:
    """Kombu's sets and hashes stand among the queues, which are lists."""
    prefix = "savor:kit:queue:"
    guarded_redis.sadd(f"{prefix}_kombu.binding.normal", "normal")
    guarded_redis.sadd(f"{prefix}_kombu.binding_permanent.normal", "normal")
    guarded_redis.zadd(f"{prefix}_kombu.binding_deadlines", {"reply.celery.pidbox": 1})
    guarded_redis.rpush(f"{prefix}normal", "a task")
    guarded_redis.hset(f"{prefix}unacked", "tag", "a task")
    guarded_redis.zadd(f"{prefix}unacked_index", {"tag": 1})
    guarded_redis.set(f"{prefix}unacked_mutex", "token", ex=30)
    guarded_redis.set("savor:django:1:django.contrib.sessions.cached_dbabc", "pickled", ex=60)
    names = sorted(map(str, guarded_redis.scan_iter("savor:*")))
    assert run_command(capsys, "--fix")["fixed"] == []
    assert sorted(map(str, guarded_redis.scan_iter("savor:*"))) == names


def test_every_key_of_kombu_is_declared() -> None:
    """Another release of Kombu may have more: an undeclared one would be taken for a queue, and deleted."""
    named = {name: str(getattr(Channel, name)) for name in dir(Channel) if name.startswith("keyprefix_")}
    keys = [text.replace("%s", "normal") for text in named.values() if text.startswith("_kombu")]
    assert len(keys) >= 3
    for key in [*keys, Channel.unacked_key, Channel.unacked_index_key, Channel.unacked_mutex_key]:
        found = schema.match(f"savor:kit:queue:{key}")
        assert found not in (None, CELERY_QUEUE), key


@pytest.mark.usefixtures("redis_away")
def test_without_redis_nothing_is_said_to_be_right() -> None:
    with pytest.raises(CommandError, match="Redis does not answer"):
        call_command("reconcile")
