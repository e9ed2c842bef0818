"""Runs the measurements of lab.bench.feed: the report on standard output, progress on standard error."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402 - models need the settings
from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from apps.accounts.models import User  # noqa: E402
from apps.blog import keys  # noqa: E402
from apps.blog.display import note_rows  # noqa: E402
from apps.blog.display.note_rows import NoteRow  # noqa: E402
from apps.blog.feed import feed, feed_positions, inboxes  # noqa: E402
from apps.blog.feed.feed_positions import FeedPosition  # noqa: E402
from apps.blog.models import Note  # noqa: E402
from apps.demo import embedded_redis  # noqa: E402
from apps.follows.models import Follow  # noqa: E402
from apps.redis_kit import client  # noqa: E402
from lab.bench import reports  # noqa: E402
from tests.blog import makers  # noqa: E402

#: Notes in each inbox at the start; commands of a plain pipeline; single round trips in a sample.
INBOX_NOTES, PIPELINE, SINGLE_COMMANDS = 20, 5_000, 5_000
#: For the reading part: authors, notes of each, and the authors that the reader follows.
AUTHORS, NOTES, FOLLOWED, PULLED_AUTHORS = 1_000, 50, 200, 3
CALLS = 300
PLAIN = "plain ZADD, pipelines of 5,000, one process"
#: Wall seconds and CPU seconds.
Spent = tuple[float, float]
MINUTE = timedelta(minutes=1)


def main() -> None:
    followers = int(sys.argv[1])
    server = embedded_redis.start(settings.REDIS_DIR)
    try:
        call_command("migrate", verbosity=0)
        author, reader = (User.objects.create_user(phone=f"+861380000000{number}") for number in range(2))
        brought = _fan_out(author, followers)
        read = _reading(reader)
        print(_report(followers, brought, read))
    finally:
        server.stop()


def _fan_out(author: User, followers: int) -> list[tuple[str, Spent]]:
    """Measure the delivery of one note to all followers; return (way, wall and CPU seconds) for each way."""
    ids = _followers(author, followers)
    _inboxes(ids)
    with _worker() as worker:
        _until_pushed(author)
        brought = partial(_best_of, partial(_until_pushed, author), worker)
        rows = [("a worker, everybody has an inbox", brought())]
        rows.append((PLAIN, _best_of(partial(_pipelines, ids), worker)))
        inboxes.forget(*(reader_id for reader_id in ids if reader_id % 10))
        rows.append(("a worker, one in ten has an inbox", brought()))
        few = _best_of(partial(_one_by_one, ids[:SINGLE_COMMANDS]), worker)
    share = len(ids) / SINGLE_COMMANDS
    return [*rows, ("plain ZADD, one round trip each (from 5,000)", (few[0] * share, few[1] * share))]


def _followers(author: User, count: int) -> list[int]:
    people = [User(phone=f"+8615{number:09d}", password="!") for number in range(count)]
    ids = [one.pk for one in User.objects.bulk_create(people, batch_size=2_000)]
    Follow.objects.bulk_create([Follow(follower_id=one, followee=author) for one in ids], batch_size=2_000)
    print(f"{count} followers", file=sys.stderr)
    return ids


def _inboxes(ids: Sequence[int]) -> None:
    held = {f"{note_id:019d}": note_id for note_id in range(10**9, 10**9 + INBOX_NOTES)}
    for some in _chunks(ids):
        with client.get("blocking").pipeline(transaction=False) as pipe:
            for reader_id in some:
                pipe.zadd(_key(reader_id), held | {inboxes.FLOOR_MEMBER: 0})
                pipe.expire(_key(reader_id), inboxes.UNREAD_TTL)
            pipe.execute()


@contextmanager
def _worker() -> Iterator[int]:
    """Run a Celery worker for the block and yield its process id, which is also its session's."""
    command = [sys.executable, "-m", "celery", "--quiet", "-A", "config", "worker", "--loglevel", "warning"]
    started = subprocess.Popen(
        [*command, "--concurrency", "1", "--without-gossip", "--without-mingle", "--without-heartbeat"],
        stdout=sys.stderr,
        start_new_session=True,
    )
    try:
        yield started.pid
    finally:
        started.terminate()
        started.wait(30)


def _until_pushed(author: User) -> None:
    note = makers.note(author, photos=0)
    feed.announce(note.pk)
    while not Note.objects.filter(pk=note.pk, pushed_at__isnull=False).exists():
        time.sleep(0.01)


def _pipelines(ids: Sequence[int]) -> None:
    at = time.time_ns() // 1_000
    for some in _chunks(ids):
        with client.get("blocking").pipeline(transaction=False) as pipe:
            for reader_id in some:
                pipe.zadd(_key(reader_id), {"1": at})
            pipe.execute()


def _one_by_one(ids: Sequence[int]) -> None:
    for reader_id in ids:
        client.get().zadd(_key(reader_id), {"2": time.time()})


def _reading(reader: User) -> list[tuple[str, list[float]]]:
    """Measure pages of one reader's feed; return (way, seconds of each call) for each way."""
    _many_notes(reader)
    first, deep = feed.load_page(reader.pk), _measure_deep_page(reader)
    before = FeedPosition.for_note(first.notes[-1])
    rows = [
        ("feed, first page", _times(partial(_read_page, reader))),
        ("feed, second page", _times(partial(_read_page, reader, before))),
        ("feed, page 60, below the inbox", _times(partial(_read_page, reader, deep))),
        (
            "new notes? none",
            _times(partial(feed.count_new, reader.pk, since=FeedPosition.for_note(first.notes[0]))),
        ),
        ("feed, first visit: the inbox is filled", _times(partial(_first_visit, reader), CALLS // 10)),
    ]
    return [*rows, ("the ORM alone", _times(partial(_by_orm, reader)))]


def _many_notes(reader: User) -> None:
    people = [User(phone=f"+8617{number:09d}", password="!") for number in range(AUTHORS)]
    authors = User.objects.bulk_create(people, batch_size=2_000)
    shop, now = makers.shop(), timezone.now() - timedelta(days=100)
    notes = [
        Note(
            author=author,
            shop=shop,
            text="Broth that forgives. " * 10,
            status=Note.Status.PUBLISHED,
            published_at=now + MINUTE * (number * AUTHORS + place),
            pushed_at=None if place < PULLED_AUTHORS else now,
            pulled=place < PULLED_AUTHORS,
        )
        for number in range(NOTES)
        for place, author in enumerate(authors)
    ]
    Note.objects.bulk_create(notes, batch_size=2_000)
    Follow.objects.bulk_create([Follow(follower=reader, followee=one) for one in authors[:FOLLOWED]])
    print(f"{len(notes)} notes", file=sys.stderr)


def _measure_deep_page(reader: User) -> FeedPosition:
    return feed_positions.newest_positions(
        feed_positions.of_reader(reader.pk), before=None, max_count=feed.PAGE_SIZE * 60
    )[-1]


def _first_visit(reader: User) -> None:
    inboxes.forget(reader.pk)
    _read_page(reader)


def _read_page(reader: User, before: FeedPosition | None = None) -> list[NoteRow]:
    found = feed.load_page(reader.pk, before=before)
    return note_rows.fetch([note.pk for note in found.notes])


def _by_orm(reader: User) -> list[Note]:
    """Return the same notes by plain SQL, without inboxes, with what their cards show."""
    rows = Note.objects.published().filter(author__follower_rows__follower=reader).with_cards()
    return list(rows.order_by("-published_at", "-pk")[: feed.PAGE_SIZE + 1])


def _report(followers: int, brought: list[tuple[str, Spent]], read: list[tuple[str, list[float]]]) -> str:
    floor, orm = dict(brought)[PLAIN][1], dict(read)["the ORM alone"]
    ways = [
        [name, f"{seconds:.2f}", f"{work:.2f}", f"{work / floor:.1f}"] for name, (seconds, work) in brought
    ]
    pages = [
        [name, str(len(times)), f"{_ms(times, 0.5):.2f}", f"{_ms(times, 0.95):.2f}",
         f"{_ms(times, 0.5) / _ms(orm, 0.5):.2f}"]
        for name, times in read
    ]  # fmt: skip
    server = client.get().info("server")["redis_version"]
    return "\n".join([
        f"## The feed, {followers:,} followers",
        "",
        f"{reports.describe_machine('celery', 'redis')}, server {server} with its append-only file.",
        f"From `feed.announce` until SQL calls a note pushed; inboxes of {INBOX_NOTES} notes, best "
        f"of 3. Processor",
        "seconds are those of worker, Redis and caller together: where the seconds are many more, neighbours",
        "had the cores.",
        "",
        reports.markdown_table(
            ["one note to all followers", "seconds", "processor seconds", "against plain"], ways
        ),
        "",
        f"Pages of a reader who follows {FOLLOWED} of {AUTHORS:,} authors with {NOTES} notes each, "
        f"{PULLED_AUTHORS}",
        "of them pulled; what the cards show of notes, authors, shops and photos, without the likes.",
        "Processor time of the process, since the clock on the wall measures the neighbours too.",
        "",
        reports.markdown_table(["page", "calls", "p50 ms", "p95 ms", "p50 against the ORM"], pages),
    ])  # fmt: skip


def _chunks(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    return (ids[start : start + PIPELINE] for start in range(0, len(ids), PIPELINE))


def _key(reader_id: int) -> str:
    return keys.FEED_INBOX(shard=reader_id % inboxes.SHARD_COUNT, reader=reader_id)


def _time(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _best_of(work: Callable[[], object], worker: int) -> Spent:
    return min(_measure_spent(work, worker) for _ in range(3))


def _measure_spent(work: Callable[[], object], worker: int) -> Spent:
    before, seconds = _processor(worker), _time(work)
    return seconds, _processor(worker) - before


def _processor(session: int) -> float:
    """Return the CPU seconds that this process, the Redis server and a session's processes have used."""
    server, ticks = client.get("blocking").info("cpu"), 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12]) if int(fields[3]) == session else 0
    ours = time.process_time() + ticks / os.sysconf("SC_CLK_TCK")
    return float(ours + server["used_cpu_user"] + server["used_cpu_sys"])


def _times(work: Callable[[], object], calls: int = CALLS) -> list[float]:
    return sorted(_worked(work) for _ in range(calls))


def _worked(work: Callable[[], object]) -> float:
    """Return the CPU seconds that this process spends in work(); other processes would distort wall time."""
    began = time.process_time()
    work()
    return time.process_time() - began


def _ms(times: list[float], share: float) -> float:
    return 1_000 * times[round(share * (len(times) - 1))]


if __name__ == "__main__":
    main()
