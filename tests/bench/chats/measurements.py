"""The measurements of tests.bench.chats, in a process beside the site's: see there."""

import asyncio
import json
import os
import re
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
from apps.chat import limits, messages, seen  # noqa: E402
from apps.chat.models import Chat, Member, Message  # noqa: E402
from apps.redis_kit import client, limiter  # noqa: E402
from tests.bench import performance_page  # noqa: E402

FAST = bool(os.environ.get("FAST"))
#: People in one room, rooms of twenty, messages to each, connections for the memory, and drops.
ROOM, ROOMS, MESSAGES = (300, 20, 20) if FAST else (2_000, 100, 100)
CONNECTIONS, DROPS = (500, 50) if FAST else (8_000, 1_000)
SENDS, PENDING_CHATS = (100, 200) if FAST else (1_000, 200)
_EVENT = re.compile(rb"id: (\S+)\nevent: (\S+)\ndata: (.*)\n\n")


class Reader:
    """One open stream: what it got, and when."""

    def __init__(self, host: str, port: int, token: str) -> None:
        self.host, self.port, self.token = host, port, token
        self.last_id, self.numbers, self.delays = "", list[int](), list[float]()
        self.repeats = self.holes = self.resets = 0
        self._task: asyncio.Task[None] | None = None
        self.ready = asyncio.Event()

    async def connect(self) -> None:
        self.ready.clear()
        reader, self._writer = await asyncio.open_connection(self.host, self.port)
        last = f"last-event-id: {self.last_id}\r\n" if self.last_id else ""
        head = f"GET /api/live HTTP/1.1\r\nhost: {self.host}:{self.port}\r\naccept: text/event-stream\r\n"
        self._writer.write(f"{head}authorization: Bearer {self.token}\r\n{last}\r\n".encode())
        self._task = asyncio.create_task(self._read(reader))
        await asyncio.wait_for(self.ready.wait(), 120)

    async def drop(self) -> None:
        """Lose the connection, as in a tunnel."""
        self._writer.transport.abort()
        if self._task:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        kept = b""
        while part := await reader.read(65536):
            kept += part
            end = kept.rfind(b"\n\n") + 2
            if end < 2:
                continue
            for event_id, name, data in _EVENT.findall(kept[:end]):
                self._take(event_id.decode(), name, data)
            kept = kept[end:]

    def _take(self, event_id: str, name: bytes, data: bytes) -> None:
        self.last_id = event_id
        if name == b"ready":
            self.ready.set()
        elif name == b"reset":
            self.resets += 1
        elif name == b"chat":
            told = json.loads(data)["message"]
            if self.numbers and told["number"] != self.numbers[-1] + 1:
                self.holes += told["number"] > self.numbers[-1] + 1
                self.repeats += told["number"] <= self.numbers[-1]
            self.numbers.append(told["number"])
            self.delays.append(time.time() - float(told["text"]))


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
    messages.post(user_id, chat.pk, f"{time.time()}")


async def deliver(
    chats: Sequence[Chat], people: Sequence[User], readers: Sequence[Reader], pid: int, pause: float
) -> tuple[float, float]:
    """(p99 of the delay in ms, CPU microseconds of the web process for a delivery)."""
    members, before = len(people) // len(chats), cpu_seconds(pid)
    for turn in range(MESSAGES):
        for index, chat in enumerate(chats if len(chats) == 1 else chats[turn % 10 :: 10]):
            author = people[(turn % 10 + index * 10 if len(chats) > 1 else 0) * members + turn % members]
            await asyncio.to_thread(send, chat, author.pk)
        await asyncio.sleep(pause)
    await asyncio.sleep(2)
    delays = sorted(delay for reader in readers for delay in reader.delays)
    spent = cpu_seconds(pid) - before
    return delays[int(len(delays) * 0.99)] * 1e3, spent / len(delays) * 1e6


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


def measure_sends(chat: Chat, user_id: int) -> list[str]:
    """CPU milliseconds, statements and round trips of a message."""
    send(chat, user_id)
    began = time.process_time()
    for _ in range(SENDS):
        send(chat, user_id)
    spent = (time.process_time() - began) / SENDS * 1e3
    with CaptureQueriesContext(connection) as captured:
        send(chat, user_id)
    many = sum(not each["sql"].startswith(("BEGIN", "COMMIT")) for each in captured)
    return ["send a message (verb, without the log-in)", f"{spent:.2f} ms CPU, {many} statements", "3 ms, 3"]


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
    one = time_of(lambda: seen.pending(person.pk))
    each = time_of(lambda: [messages.history(person.pk, chat.pk, after=0) for chat in chats])
    return [
        [f"pending of {PENDING_CHATS} chats, 3 messages each", f"{one:.1f} ms in one call", "one call"],
        ["the same, a call for each chat", f"{each:.1f} ms", f"{each / one:.1f} x"],
    ]


async def measure_drops(address: tuple[str, int], start: int) -> list[str]:
    """Drops while messages go through, and what the clients have in the end."""
    chats, people = await asyncio.to_thread(make_chats, 1, 50, start)
    readers = await open_readers(people, address)
    for drop in range(DROPS):
        reader = readers[drop % len(readers)]
        await reader.drop()
        await asyncio.to_thread(send, chats[0], people[drop % 50].pk)
        await reader.connect()
        if drop == DROPS // 2:
            await asyncio.to_thread(lambda: client.get().client_kill_filter(_type="pubsub"))
    await asyncio.sleep(3)
    resets = sum(each.resets for each in readers)
    holes, repeats = sum(each.holes for each in readers), sum(each.repeats for each in readers)
    missing = sum(DROPS - len(each.numbers) for each in readers)
    for reader in readers:
        await reader.drop()
    return [
        f"{DROPS} drops during {DROPS} messages, the subscription killed once",
        f"{holes} gaps, {repeats} repeats, {missing} missing, {resets} resets",
        "0, 0, 0, 0",
    ]


async def measure(address: tuple[str, int], parent: int) -> list[list[str]]:
    pid = find_server(parent)
    base = resident_megabytes(pid)
    rows: list[list[str]] = []
    for count, members, bar in ((1, ROOM, "250"), (ROOMS, 20, "100")):
        chats, people = await asyncio.to_thread(make_chats, count, members, len(rows) * 1_000_000)
        readers = await open_readers(people, address)
        p99, cost = await deliver(chats, people, readers, pid, 0.2)
        name = f"{count} room(s) of {members}: sent to shown, p99"
        rows.append([name, f"{p99:.0f} ms", f"{bar} ms"])
        rows.append(["CPU of the web process for a delivery", f"{cost:.0f} us", "20 us"])
        for reader in readers:
            await reader.drop()
    await asyncio.sleep(1)
    rows.append(await measure_drops(address, 5_000_000))
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
    chats, people = make_chats(1, 2, 9_000_000)
    User.objects.update(joined_at=timezone.now() - timedelta(days=9))
    rows.append(measure_sends(chats[0], people[0].pk))
    rows += measure_pending(people[1])
    print("## Chats and live streams\n")
    print(performance_page.describe_machine("uvicorn", "redis"))
    print("\n" + performance_page.markdown_table(["what", "measured", "bar"], rows))


if __name__ == "__main__":
    main()
