"""Which request gets a thread for its page: two lots of threads, and a fair share for each address.

    turn = await threads.begin(address, kind)     # raises Crowded
    try: ... finally: threads.end(turn)

A kind of page that takes long (its table is locked, its file is large) has a lot of its own: a request that
has had a thread for LATE_SECONDS leaves its place in the first lot to others, while the second has one.
Further requests of its kind wait for the second lot while several of it are late, and for a while after one
took SLOW_SECONDS. They start in half of that lot: the other half is for those who come late from the first.

An address has half of the places at most, a kind all of the first lot but one. What waits gets its turn by
kind and by address: neither fifty addresses that want one kind nor one address that wants fifty pages keeps
others waiting.
"""

import asyncio
import re
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus

#: A page takes milliseconds. What takes longer than this waits for something, or is a file: it leaves its
#: place to others, and counts as slow.
LATE_SECONDS, SLOW_SECONDS = 0.2, 1.0
#: A kind that was slow is tried in the first lot again after so many seconds without a slow request.
REMEMBERED_SECONDS = 10.0
#: Kinds that are remembered: numbers are left out of paths, and other words of paths are few.
MAX_KINDS = 1_000
#: Requests of an address that wait; one more is refused.
MAX_WAITING_OF_ADDRESS = 128
#: Requests that wait for the second lot; they would wait for longer than anybody looks at an empty page.
MAX_WAITING_SLOW = 64
#: Seconds that a request waits for a thread, of the first lot and of the second.
MAX_WAIT_SECONDS, MAX_SLOW_WAIT_SECONDS = 20.0, 5.0
#: A loop that comes so late for a turn's end has stood still itself: turns are given their time once more.
MAX_LATE_SECONDS, MAX_NOTE_LATE_SECONDS = 1.0, 0.1
#: In the environment of a request that gets none: the status of its refusal (front.crowd_middleware).
CROWDED = "savor.crowded"
_NUMBER = re.compile(r"\d+")


class Crowded(Exception):  # noqa: N818 - the crowd's fault, not ours
    """A request gets no thread: 429 when its address has too many that wait, else 503."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


@dataclass(eq=False)
class Turn:
    """A request that waits for a thread, or has one since `began` (the loop's time)."""

    address: str
    kind: str
    lot: "Lot"
    ready: "asyncio.Future[None]"
    began: float = 0.0
    is_late: bool = False
    timer: asyncio.TimerHandle | None = None


@dataclass(eq=False)
class Lot:
    """Threads: those that are free, and who waits for them, by kind and then by address in turn.

    Who waits leaves `kept` of them free.
    """

    free: int
    kept: int = 0
    waiting: "OrderedDict[str, OrderedDict[str, deque[Turn]]]" = field(default_factory=OrderedDict)

    @property
    def has_place(self) -> bool:
        """Whether another page may start."""
        return self.free > self.kept

    def __len__(self) -> int:
        """How many wait."""
        return sum(len(line) for by_address in self.waiting.values() for line in by_address.values())

    def queue(self, turn: Turn) -> None:
        """Have it wait behind those of its kind and address."""
        self.waiting.setdefault(turn.kind, OrderedDict()).setdefault(turn.address, deque()).append(turn)

    def drop(self, turn: Turn) -> None:
        """It waits no more."""
        line = self.waiting.get(turn.kind, OrderedDict()).get(turn.address, deque())
        if turn in line:
            line.remove(turn)
            self._tidy(turn)

    def take_next(self, may_start: Callable[[Turn], bool]) -> Turn | None:
        """Whose turn it is: of the kind that was served longest ago, the address that was."""
        for kind, by_address in self.waiting.items():
            for address, line in by_address.items():
                if may_start(line[0]):
                    turn = line.popleft()
                    # Behind the others.
                    by_address.move_to_end(address)
                    self.waiting.move_to_end(kind)
                    self._tidy(turn)
                    return turn
        return None

    def _tidy(self, turn: Turn) -> None:
        by_address = self.waiting[turn.kind]
        if not by_address[turn.address]:
            del by_address[turn.address]
        if not by_address:
            del self.waiting[turn.kind]


class PageThreads:
    """Gives out `places` of threads, and as many for what is slow; used in one event loop."""

    def __init__(
        self,
        places: int,
        *,
        late_seconds: float = LATE_SECONDS,
        slow_seconds: float = SLOW_SECONDS,
        slow_wait_seconds: float = MAX_SLOW_WAIT_SECONDS,
    ) -> None:
        self.threads = 2 * places
        self._slow_seconds, self._late_seconds = slow_seconds, min(late_seconds, slow_seconds)
        self._slow_wait_seconds = slow_wait_seconds
        #: Places that one address may hold; so many of a kind are late when it counts as slow.
        self.share = max(1, places // 2)
        self.quick, self.slow = Lot(places), Lot(places, kept=places - self.share)
        self._most_of_kind = max(1, places - 1)
        #: Places by address, those of the first lot by kind, and who waits by address.
        self._taken, self._quick_of, self._waiting = Counter[str](), Counter[str](), Counter[str]()
        #: When a kind counts as quick again, and how many of it are late.
        self._slow_until, self._late_of = dict[str, float](), Counter[str]()
        #: Those that are late, and hold a place among the quick.
        self._late = list[Turn]()

    async def begin(self, address: str, kind: str) -> Turn:
        """Wait for a thread; Crowded when there is none in time."""
        loop = asyncio.get_running_loop()
        turn = Turn(address, kind, self._lot_of(kind, loop.time()), loop.create_future())
        if turn.lot.has_place and self._may_start(turn):
            self._start(turn, loop)
            return turn
        self._refuse_crowds(turn)
        self._waiting[address] += 1
        turn.lot.queue(turn)
        self._give_up_later(turn, loop)
        try:
            await turn.ready
        except BaseException:
            if turn.ready.done() and not turn.ready.cancelled() and not turn.ready.exception():
                self.end(turn)
            elif turn.ready.cancelled():
                turn.lot.drop(turn)
            raise
        finally:
            _decrease(self._waiting, address)
        return turn

    def end(self, turn: Turn) -> None:
        """Give the thread back, to who waits."""
        loop = asyncio.get_running_loop()
        if turn.timer:
            turn.timer.cancel()
        if loop.time() - turn.began >= self._slow_seconds:
            self._remember(turn.kind, loop.time())
        if turn.is_late:
            _decrease(self._late_of, turn.kind)
        if turn in self._late:
            self._late.remove(turn)
        _decrease(self._taken, turn.address)
        self._leave_lot(turn)
        self._give_out(loop)

    def _lot_of(self, kind: str, now: float) -> Lot:
        is_slow = self._slow_until.get(kind, 0.0) > now or self._late_of[kind] >= self.share
        return self.slow if is_slow else self.quick

    def _may_start(self, turn: Turn) -> bool:
        is_one_too_many = turn.lot is self.quick and self._quick_of[turn.kind] >= self._most_of_kind
        return self._taken[turn.address] < self.share and not is_one_too_many

    def _leave_lot(self, turn: Turn) -> None:
        turn.lot.free += 1
        if turn.lot is self.quick:
            _decrease(self._quick_of, turn.kind)

    def _refuse_crowds(self, turn: Turn) -> None:
        if self._waiting[turn.address] >= MAX_WAITING_OF_ADDRESS:
            raise Crowded(HTTPStatus.TOO_MANY_REQUESTS)
        if turn.lot is self.slow and len(self.slow) >= MAX_WAITING_SLOW:
            raise Crowded(HTTPStatus.SERVICE_UNAVAILABLE)

    def _start(self, turn: Turn, loop: asyncio.AbstractEventLoop) -> None:
        if turn.timer:
            turn.timer.cancel()
        turn.lot.free -= 1
        self._taken[turn.address] += 1
        if turn.lot is self.quick:
            self._quick_of[turn.kind] += 1
        turn.began = loop.time()
        self._note_late_later(turn, loop)

    def _note_late_later(self, turn: Turn, loop: asyncio.AbstractEventLoop) -> None:
        due = loop.time() + self._late_seconds
        turn.timer = loop.call_at(due, self._note_late, turn, due)

    def _note_late(self, turn: Turn, due: float) -> None:
        loop = asyncio.get_running_loop()
        if loop.time() - due > MAX_NOTE_LATE_SECONDS:
            self._note_late_later(turn, loop)
            return
        turn.is_late = True
        self._late_of[turn.kind] += 1
        turn.timer = loop.call_at(turn.began + self._slow_seconds, self._note_slow, turn)
        if turn.lot is self.quick:
            self._late.append(turn)
            self._give_out(loop)

    def _note_slow(self, turn: Turn) -> None:
        self._remember(turn.kind, asyncio.get_running_loop().time())

    def _remember(self, kind: str, now: float) -> None:
        if len(self._slow_until) >= MAX_KINDS:
            self._slow_until.clear()
        self._slow_until[kind] = now + REMEMBERED_SECONDS

    def _give_out(self, loop: asyncio.AbstractEventLoop) -> None:
        """Move who is late to the second lot, then start who waits, as far as there are places."""
        while self._late and self.slow.free:
            late = self._late.pop(0)
            self._leave_lot(late)
            late.lot = self.slow
            self.slow.free -= 1
        for lot in (self.quick, self.slow):
            while lot.has_place and (turn := lot.take_next(self._may_start)):
                if turn.ready.done():
                    # Its client has left a moment ago.
                    continue
                if lot is self.quick and self._lot_of(turn.kind, loop.time()) is self.slow:
                    # Its kind has become slow while it waited.
                    turn.lot = self.slow
                    self.slow.queue(turn)
                    self._give_up_later(turn, loop)
                    continue
                self._start(turn, loop)
                turn.ready.set_result(None)

    def _give_up_later(self, turn: Turn, loop: asyncio.AbstractEventLoop) -> None:
        """Give it up when it has waited for as long as its lot allows."""
        if turn.timer:
            turn.timer.cancel()
        wait = self._slow_wait_seconds if turn.lot is self.slow else MAX_WAIT_SECONDS
        turn.timer = loop.call_later(wait, self._give_up, turn, loop.time() + wait)

    def _give_up(self, turn: Turn, due: float) -> None:
        loop = asyncio.get_running_loop()
        if loop.time() - due > MAX_LATE_SECONDS:
            self._give_up_later(turn, loop)
        elif not turn.ready.done():
            turn.lot.drop(turn)
            turn.ready.set_exception(Crowded(HTTPStatus.SERVICE_UNAVAILABLE))


def kind_of(path: str) -> str:
    """What requests of one page have in common: the begin of the path, without numbers."""
    return "/".join(_NUMBER.sub("0", path[:120]).split("/")[:5])


def _decrease(counts: Counter[str], name: str) -> None:
    """One less; names without any are not kept."""
    counts[name] -= 1
    if not counts[name]:
        del counts[name]
