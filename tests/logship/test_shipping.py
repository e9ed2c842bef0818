"""Files through Redis to the analysers: every line once, under the limit, past what dies and is away."""

import io
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import redis
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from apps.logship import analysing, block_stream, keys, sending
from apps.logship.analysing import CityCounter, PathTimer, Reader, open_readers
from apps.logship.block_stream import Block, SendOutcome
from apps.logship.models import CityVisits, FilePosition, PathTimes
from tests.logship import lines as logs

pytestmark = pytest.mark.django_db(transaction=True)


class Collector:
    """An analyser that keeps the lines."""

    name = "collector"

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def start(self) -> list[bytes]:
        return []

    def gather(self, lines: bytes, into: list[bytes]) -> None:
        into += lines.split(b"\n")[: -1 if lines.endswith(b"\n") else None]

    def write(self, gathered: list[bytes]) -> None:
        self.lines += gathered


def ship(*paths: Path) -> sending.Shipped:
    return sending.ship(paths, threading.Event())


def analyse() -> None:
    for reader in open_readers():
        reader.drain()


def visits() -> dict[tuple[str, str], int]:
    return {(str(row.day), row.city): row.visits for row in CityVisits.objects.all()}


def requests() -> dict[tuple[str, str], int]:
    return {(str(row.day), row.path): row.requests for row in PathTimes.objects.all()}


@pytest.mark.parametrize("most", [10_000, pytest.param(100_000, marks=pytest.mark.wide)])
def test_files_of_one_of_many_and_of_most_lines_arrive_whole(tmp_path: Path, most: int) -> None:
    counts = (1, most // 10, most)
    files = [
        logs.write(tmp_path / "one.jsonl", logs.make(1, seed=1)),
        logs.write(tmp_path / "many.jsonl", logs.make(counts[1], seed=2)),
        logs.write(tmp_path / "most.jsonl.gz", logs.make(most, seed=3)),
    ]
    collector = Collector()
    reader = Reader(collector)
    block_stream.settle("collector")
    open_readers()
    for path, count in zip(files, counts, strict=True):
        ship(path)
        reader.drain()
        assert len(collector.lines) == count
        collector.lines.clear()
    analyse()
    every = [line for seed, count in enumerate(counts, 1) for line in logs.make(count, seed=seed)]
    assert visits() == logs.count_visits(every)
    assert requests() == logs.count_requests(every)


def test_the_commands_ship_and_count(tmp_path: Path) -> None:
    made, out = logs.make(500), io.StringIO()
    path = logs.write(tmp_path / "a.jsonl", made)
    call_command("ship_logs", str(path), stdout=out)
    call_command("analyse_logs", stdout=out)
    call_command("ship_logs", str(path), stdout=out)
    call_command("analyse_logs", "--only", "cities", stdout=out)
    assert visits() == logs.count_visits(made)
    size = path.stat().st_size
    assert out.getvalue().splitlines() == [
        f"1 files, {size:,} bytes of text sent",
        "cities: 1 blocks, paths: 1 blocks",
        "1 files, 0 bytes of text sent",
        "cities: 0 blocks",
    ]
    with pytest.raises(CommandError, match="no file and no folder"):
        call_command("ship_logs", str(tmp_path / "none"))


@pytest.mark.parametrize("name", ["a.log", "a.log.gz"])
@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize(
    "lengths", [[5], [0, 0, 3], [3_000] * 200, [131_072], [131_071], [400_000, 7, 131_073]]
)
def test_any_lines_arrive_as_they_are(tmp_path: Path, lengths: list[int], end: str, name: str) -> None:
    made = [f"{number % 10}" * length for number, length in enumerate(lengths, start=1)]
    ship(logs.write(tmp_path / name, made, end=end))
    collector = Collector()
    Reader(collector).drain()
    assert collector.lines == [line.encode() for line in made]


def test_a_file_that_grows_is_sent_as_it_grows_and_once(tmp_path: Path) -> None:
    made = logs.make(300)
    path = logs.write(tmp_path / "a.jsonl", made[:100])
    ship(path)
    logs.write(path, made[:200])
    ship(path)
    path = logs.write(path.rename(tmp_path / "a.jsonl.gz"), made)
    ship(path)
    ship(path)
    analyse()
    assert visits() == logs.count_visits(made)


def test_a_broken_file_is_sent_as_far_as_it_goes_and_named(tmp_path: Path) -> None:
    path = logs.write(tmp_path / "a.jsonl.gz", logs.make(20_000))
    path.write_bytes(path.read_bytes()[:-100])
    good = logs.write(tmp_path / "b.jsonl", logs.make(10))
    shipped = ship(path, good)
    assert [str(path) in complaint for complaint in shipped.broken] == [True]
    collector = Collector()
    Reader(collector).drain()
    assert 15_000 < len(collector.lines) < 20_010
    with pytest.raises(CommandError, match="not whole: .*a.jsonl.gz"):
        call_command("ship_logs", str(path))


def test_what_is_sent_twice_is_counted_once_also_when_redis_lost_everything(
    tmp_path: Path, guarded_redis: redis.Redis
) -> None:
    made = logs.make(8_000)
    path = logs.write(tmp_path / "a.jsonl", made)
    ship(path)
    reader = Reader(CityCounter())
    reader.drain()
    guarded_redis.flushall()
    ship(path)
    reader.drain()
    Reader(CityCounter()).drain()
    assert visits() == logs.count_visits(made)


def test_a_block_is_taken_once_and_only_as_the_next_one() -> None:
    assert block_stream.send("a", 0, b"one\n") == (SendOutcome.ADDED, 4)
    assert block_stream.send("a", 0, b"one\n") == (SendOutcome.ELSEWHERE, 4)
    assert block_stream.send("a", 9, b"two\n") == (SendOutcome.ELSEWHERE, 4)
    assert [block.text for block in block_stream.read(block_stream.BEGINNING, 9)] == [b"one\n"]


def test_fifty_senders_of_one_block_send_it_once(race: Callable[..., list[object]]) -> None:
    outcomes = race(50, lambda _number: block_stream.send("a", 0, b"one\n").outcome)
    assert Counter(outcomes) == {SendOutcome.ADDED: 1, SendOutcome.ELSEWHERE: 49}


@pytest.mark.both_databases
def test_five_processes_of_an_analyser_count_each_line_once(
    tmp_path: Path, race: Callable[..., list[object]]
) -> None:
    made = logs.make(20_000)
    ship(logs.write(tmp_path / "a.jsonl", made))
    race(5, lambda _number: Reader(CityCounter()).drain())
    Reader(CityCounter()).drain()
    assert visits() == logs.count_visits(made)


def test_the_stream_stays_under_its_limit_and_waits_for_the_slowest(
    settings: Settings, guarded_redis: redis.Redis
) -> None:
    settings.LOG_STREAM_BYTES = 20_000
    quick, slow = Reader(Collector()), Reader(CityCounter())
    quick.step()
    slow.step()
    text, sent = bytes(range(256)) * 16, 0
    while block_stream.send("a", sent, text).outcome is SendOutcome.ADDED:
        sent += len(text)
    assert 15_000 < block_stream.describe().held_bytes <= 20_000
    quick.drain()
    assert block_stream.send("a", sent, text).outcome is SendOutcome.FULL
    slow.drain()
    assert block_stream.describe()[:2] == (0, 0)
    assert block_stream.send("a", sent, text).outcome is SendOutcome.ADDED
    assert guarded_redis.xlen(keys.BLOCKS()) == 1


def test_an_analyser_that_is_silent_for_long_is_given_up_and_its_loss_is_told(
    settings: Settings, guarded_redis: redis.Redis, tmp_path: Path
) -> None:
    settings.LOG_STREAM_BYTES = 40_000
    first, second = logs.make(2_000, seed=1), logs.make(2_000, seed=2)
    Reader(CityCounter()).step()
    Reader(PathTimer()).step()
    ship(logs.write(tmp_path / "a.jsonl", first))
    Reader(CityCounter()).drain()
    guarded_redis.hset(keys.STATE(), "seen:paths", 1)
    ship(logs.write(tmp_path / "b.jsonl", second))
    Reader(CityCounter()).drain()
    Reader(PathTimer()).drain()
    assert visits() == logs.count_visits(first + second)
    assert block_stream.describe().given_up == {"paths": 1}


@pytest.mark.both_databases
def test_a_gap_is_told_and_a_damaged_block_is_left_out(guarded_redis: redis.Redis) -> None:
    progress = analysing._Progress(0, 0)
    assert analysing._take_lines(progress, Block("1-0", "a", 100, b"one\ntwo\n", False)) == b"one\ntwo\n"
    assert analysing._take_lines(progress, Block("2-0", "a", 108, None, False)) == b""
    assert (progress.counted, progress.lost, progress.damaged) == (108, 100, 1)
    block_stream.send("b", 0, b"one\n")
    entry_id = block_stream.read(block_stream.BEGINNING, 1)[0].id
    guarded_redis.xdel(keys.BLOCKS(), entry_id)
    broken = {"file": "b", "start": 0, "crc": 7, "goes_on": 0, "before": 0, "text": "no brotli"}
    guarded_redis.xadd(keys.BLOCKS(), broken)  # type: ignore[arg-type]
    Reader(CityCounter()).drain()
    assert FilePosition.objects.get().damaged_blocks == 1


def test_while_redis_is_away_the_sender_waits_and_loses_nothing(
    tmp_path: Path, redis_away_now: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = logs.write(tmp_path / "a.jsonl", logs.make(10))
    stop = threading.Event()
    monkeypatch.setattr(sending, "AWAY_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(sending.log, "warning", lambda *_: stop.set())
    redis_away_now()
    with pytest.raises(sending.Stopped):
        sending.ship([path], stop)
    with pytest.raises(CommandError, match="Redis is away"):
        call_command("analyse_logs")


@pytest.mark.one_server("its memory is full")
def test_a_redis_without_memory_makes_the_sender_wait_and_is_still_emptied(
    tmp_path: Path, guarded_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = logs.make(5_000)
    first, second = logs.write(tmp_path / "a.jsonl", made), logs.write(tmp_path / "b.jsonl", made[::-1])
    reader = Reader(CityCounter())
    reader.step()
    ship(first)
    stop = threading.Event()
    monkeypatch.setattr(sending, "AWAY_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(sending.log, "warning", lambda *_: stop.set())
    guarded_redis.config_set("maxmemory", 1)
    try:
        with pytest.raises(sending.Stopped):
            sending.ship([second], stop)
        reader.drain()
        assert guarded_redis.xlen(keys.BLOCKS()) == 0
    finally:
        guarded_redis.config_set("maxmemory", 0)
    ship(second)
    reader.drain()
    assert visits() == logs.count_visits(made * 2)


def test_the_name_of_a_file_outlives_its_compression_and_its_folder(tmp_path: Path) -> None:
    made = logs.make(10)
    (tmp_path / "old").mkdir()
    names = {
        sending.identify(logs.write(path, made))
        for path in (tmp_path / "a.jsonl", tmp_path / "a.jsonl.gz", tmp_path / "old" / "a.jsonl.gz")
    }
    assert len({file.name for file in names if file}) == 1
