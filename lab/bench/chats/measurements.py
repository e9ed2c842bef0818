"""The measurements of lab.bench.chats, in a process beside the site's: see there."""

import asyncio
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.utils import timezone  # noqa: E402

from apps.accounts.models import AccessToken, User  # noqa: E402
from apps.accounts.sessions import tokens  # noqa: E402
from apps.chat import chats as opened_chats  # noqa: E402
from apps.chat import limits, messages, unread  # noqa: E402
from apps.chat.models import Chat, Member, Message  # noqa: E402
from apps.redis_kit import client, limiter  # noqa: E402
from lab.bench import reports  # noqa: E402
from lab.bench.chats import drops  # noqa: E402
from lab.bench.chats.baselines import THREADS, Poller, PullModel, time_of_sends  # noqa: E402
from lab.bench.chats.stream_reader import Reader  # noqa: E402

FAST = bool(os.environ.get("FAST"))
#: People in one room, rooms of twenty, messages to each, connections for the memory, and drops.
ROOM, ROOMS, MESSAGES = (300, 20, 20) if FAST else (2_000, 100, 100)
CONNECTIONS, DROPS = (500, 50) if FAST else (8_000, 1_000)
SENDS, PENDING_CHATS = (100, 200) if FAST else (1_000, 200)
#: Open pages that ask each second, and for how long; a page of Django's, and how long it is looked at.
POLLERS, POLLING_SECONDS = 100, 5 if FAST else 10
PAGE, PAGE_SECONDS = "/shops/", 4 if FAST else 10


def make_chats(count: int, members: int, start: int) -> tuple[list[Chat], list[User]]:
    """So many groups with so many members each, who are all different."""
    many = range(start, start + count * members)
    people = User.objects.bulk_create(
        [User(phone=f"+861{number:010}", nickname=f"D {number}") for number in many]
    )
    chats = Chat.objects.bulk_create([Chat(name=f"Room {number}") for number in range(count)])
    pairs = [(chats[index // members], person) for index, person in enumerate(people)]
    Member.objects.bulk_create([Member(chat=chat, user=person) for chat, person in pairs])
    return chats, people


async def open_readers(people: Sequence[User], address: tuple[str, int]) -> list[Reader]:
    """A stream for each person, a few at a time."""
    raw = await asyncio.to_thread(tokens.issue_many, people, kind=AccessToken.Kind.API)
    readers = [Reader(*address, token) for token in raw]
    for start in range(0, len(readers), 50):
        await asyncio.gather(*(reader.connect() for reader in readers[start : start + 50]))
    return readers


def send(chat: Chat, user_id: int) -> None:
    """Send the time of sending; the limits of one person are not what is measured."""
    limiter.reset(limits.MESSAGES, user_id)
    limiter.reset(limits.TO_STRANGERS, user_id)
    messages.post(user_id, chat.pk, f"{time.time()}")


async def deliver(
    chats: Sequence[Chat], people: Sequence[User], readers: Sequence[Reader], pid: int, pause: float
) -> tuple[float, float]:
    """(p99 of the delay in ms, CPU microseconds of the web process for a delivery)."""
    before = cpu_seconds(pid)
    await feed(chats, people, MESSAGES, pause)
    await asyncio.sleep(2)
    spent = cpu_seconds(pid) - before
    delays = [delay for reader in readers for delay in reader.delays]
    return p99(delays), spent / len(delays) * 1e6


async def feed(chats: Sequence[Chat], people: Sequence[User], turns: int, pause: float) -> None:
    """Send so many times a message to the chat, or to a tenth of the chats."""
    members = len(people) // len(chats)
    for turn in range(turns):
        for index, chat in enumerate(chats if len(chats) == 1 else chats[turn % 10 :: 10]):
            author = people[(turn % 10 + index * 10 if len(chats) > 1 else 0) * members + turn % members]
            await asyncio.to_thread(send, chat, author.pk)
        await asyncio.sleep(pause)


def p99(delays: Sequence[float]) -> float:
    """The 99th percentile of seconds, in milliseconds."""
    return sorted(delays)[int(len(delays) * 0.99)] * 1e3


async def time_page(address: tuple[str, int]) -> float:
    """Median milliseconds of a page, from a process of its own."""
    url = f"http://{address[0]}:{address[1]}{PAGE}"
    command = ("-m", "lab.bench.chats.page_times", url, str(PAGE_SECONDS))
    process = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=subprocess.PIPE)
    told, _errors = await process.communicate()
    return float(told)


async def measure_page(chats: Sequence[Chat], people: Sequence[User], address: tuple[str, int]) -> list[str]:
    """A page beside open streams: while they are quiet, and while they are fed."""
    idle = await time_page(address)
    feeding = asyncio.create_task(feed(chats, people, 10_000, 0.2))
    busy = await time_page(address)
    feeding.cancel()
    await asyncio.gather(feeding, return_exceptions=True)
    what = f"{PAGE} beside {len(people):,} streams that are quiet, and fed"
    return [what, f"{idle:.1f} ms, {busy:.1f} ms: {busy / idle:.2f} x", "1.3 x"]


async def measure_polling(address: tuple[str, int], pid: int, start: int) -> list[list[str]]:
    """A message a second to a hundred open pages: by polling each second, and by streams."""
    (chat,), people = await asyncio.to_thread(make_chats, 1, POLLERS, start)
    raw = await asyncio.to_thread(tokens.issue_many, people, kind=AccessToken.Kind.API)
    pollers = [Poller(address, token, chat.pk) for token in raw]
    before = cpu_seconds(pid)
    polls = [poller.run(number / POLLERS, POLLING_SECONDS) for number, poller in enumerate(pollers)]
    await asyncio.gather(feed([chat], people, POLLING_SECONDS - 1, 1), *polls)
    rows = [_describe("polling each second", [each.delays for each in pollers], cpu_seconds(pid) - before)]
    readers = await open_readers(people, address)
    before = cpu_seconds(pid)
    await feed([chat], people, POLLING_SECONDS - 1, 1)
    rows.append(_describe("its stream", [each.delays for each in readers], cpu_seconds(pid) - before))
    for reader in readers:
        await reader.drop()
    return rows


def _describe(how: str, delays: Sequence[Sequence[float]], cpu: float) -> list[str]:
    shown = p99([delay for some in delays for delay in some])
    name = f"a message a second to {POLLERS} pages, each by {how}"
    return [name, f"p99 {shown:.0f} ms, {cpu / POLLING_SECONDS * 1e3:.0f} ms CPU a second", ""]


def cpu_seconds(pid: int) -> float:
    """Processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_megabytes(pid: int) -> float:
    """Resident memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def find_server(parent: int) -> int:
    """The process under the shell that serves: the one with the most memory."""
    listed = subprocess.run(["ps", "-eo", "pid,pgid"], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()[1:]]
    return max((int(pid) for pid, group in rows if int(group) == parent), key=resident_megabytes)


def measure_sends(name: str, chat: Chat, user_id: int) -> list[str]:
    """CPU milliseconds and statements of a message."""
    send(chat, user_id)
    began = time.process_time()
    for _ in range(SENDS):
        send(chat, user_id)
    spent = (time.process_time() - began) / SENDS * 1e3
    with CaptureQueriesContext(connection) as captured:
        send(chat, user_id)
    many = sum(not each["sql"].startswith(("BEGIN", "COMMIT")) for each in captured)
    return [f"send a message to {name} (verb)", f"{spent:.2f} ms CPU, {many} statements", "3 ms, 3"]


def measure_pull_model(chat: Chat, people: Sequence[User]) -> list[list[str]]:
    """Messages of eight senders at once, and what waits in many chats, as the seed does it."""
    pull, each = PullModel(client.get()), SENDS // 10
    ours = time_of_sends(lambda number: send(chat, people[number].pk), each)
    seeds = time_of_sends(lambda number: pull.send(0, number, f"{time.time()}"), each)
    retries = pull.retries / (each * THREADS)
    for number in range(PENDING_CHATS):
        for _ in range(3):
            pull.send(number, 1, "x")
    pending = time_of(lambda: pull.pending(range(PENDING_CHATS), 7))
    pull.delete()
    return [
        [f"a message, {THREADS} senders at once in one chat", f"{ours:.1f} ms, in SQL and told live", ""],
        [
            "the same, the seed's WATCH loop",
            f"{seeds:.1f} ms, {retries:.1f} retries each, in Redis alone",
            "",
        ],
        [f"pending of {PENDING_CHATS} chats, the seed's way: each by itself", f"{pending:.1f} ms", ""],
    ]


def time_of(act: Callable[[], object], repeats: int = 5) -> float:
    """Median milliseconds of a call."""
    spent = []
    for _ in range(repeats):
        began = time.perf_counter()
        act()
        spent.append((time.perf_counter() - began) * 1e3)
    return statistics.median(spent)


def measure_pending(person: User) -> list[list[str]]:
    """One call for all chats, beside the seed's way: a call for each."""
    chats = Chat.objects.bulk_create([Chat(last_number=3) for _ in range(PENDING_CHATS)])
    Member.objects.bulk_create([Member(chat=chat, user=person) for chat in chats])
    Message.objects.bulk_create(
        [Message(chat=chat, number=number, text="x") for chat in chats for number in (1, 2, 3)]
    )
    one = time_of(lambda: unread.pending(person.pk))
    each = time_of(lambda: [messages.history(person.pk, chat.pk, after=0) for chat in chats])
    return [
        [f"pending of {PENDING_CHATS} chats, 3 messages each", f"{one:.1f} ms in one call", "one call"],
        ["the same, a call for each chat", f"{each:.1f} ms", f"{each / one:.1f} x"],
    ]


async def measure(address: tuple[str, int], parent: int) -> list[list[str]]:
    pid = find_server(parent)
    base = resident_megabytes(pid)
    rows: list[list[str]] = []
    for count, members, bar in ((1, ROOM, "250"), (ROOMS, 20, "100")):
        chats, people = await asyncio.to_thread(make_chats, count, members, len(rows) * 1_000_000)
        readers = await open_readers(people, address)
        slowest, cost = await deliver(chats, people, readers, pid, 0.2)
        name = f"{count} room(s) of {members}: sent to shown, p99"
        rows.append([name, f"{slowest:.0f} ms", f"{bar} ms"])
        rows.append(["CPU of the web process for a delivery", f"{cost:.0f} us", "20 us"])
        rows.append(await measure_page(chats, people, address))
        for reader in readers:
            await reader.drop()
    await asyncio.sleep(1)
    rows += await measure_polling(address, pid, 4_000_000)
    (chat,), people = await asyncio.to_thread(make_chats, 1, 50, 5_000_000)
    rows.append(await drops.measure(address, chat, people, DROPS))
    _chats, people = await asyncio.to_thread(make_chats, CONNECTIONS, 1, 6_000_000)
    before = resident_megabytes(pid)
    await open_readers(people, address)
    used = resident_megabytes(pid)
    each = (used - before) * 1024 / CONNECTIONS
    name = f"memory of {CONNECTIONS:,} connections"
    rows.append([name, f"{used:.0f} MB in all ({base:.0f} at start), {each:.1f} KiB each", "120 MB more"])
    return rows


def main() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65_536)), hard))
    base_url, parent = sys.argv[1], int(sys.argv[2])
    host, port = base_url.removeprefix("http://").split(":")
    rows: list[list[Any]] = asyncio.run(measure((host, int(port)), parent))
    (room,), people = make_chats(1, 20, 9_000_000)
    User.objects.update(joined_at=timezone.now() - timedelta(days=9))
    pair = opened_chats.open_with(people[0].pk, people[1].pk)
    rows.append(measure_sends("a person", pair, people[0].pk))
    rows.append(measure_sends("a group of 20", room, people[0].pk))
    rows += measure_pending(people[1])
    rows += measure_pull_model(room, people)
    print("## Chats and live streams\n")
    print(reports.describe_machine("uvicorn", "redis"))
    print("\n" + reports.markdown_table(["what", "measured", "bar"], rows))


if __name__ == "__main__":
    main()
