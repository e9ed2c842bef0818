"""Which request gets a thread for its page: two lots of threads, and a fair share for each address.

    turn = await threads.begin(address, kind)     # raises Crowded
    try: ... finally: threads.end(turn)

A kind of page that takes long (its table is locked, its file is large) has a lot of its own: a request that
has had a thread for SLOW_SECONDS leaves its place in the first lot to others, while the second has one, and
further requests of its kind wait for the second. An address has half of the places at most; what it sends
beside them waits, in turn with other addresses.
"""

import asyncio
import re
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus

#: A page takes milliseconds. What takes longer than this waits for something, or is a file.
SLOW_SECONDS = 1.0
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
#: A loop that comes so late has stood still itself: its requests are given their time once more.
MAX_LATE_SECONDS = 1.0
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
    timer: asyncio.TimerHandle | None = None


@dataclass(eq=False)
class Lot:
    """Threads: those that are free, and who waits for them, by address in turn."""

    free: int
    waiting: "OrderedDict[str, deque[Turn]]" = field(default_factory=OrderedDict)

    def queue(self, turn: Turn) -> None:
        """Have it wait behind those of its address."""
        self.waiting.setdefault(turn.address, deque()).append(turn)

    def drop(self, turn: Turn) -> None:
        """It waits no more."""
        line = self.waiting.get(turn.address, deque())
        if turn in line:
            line.remove(turn)
            if not line:
                del self.waiting[turn.address]

    def take_next(self, may_start: Callable[[str], bool]) -> Turn | None:
        """Whose turn it is: the address that has waited for longest of those that may start one."""
        address = next((each for each in self.waiting if may_start(each)), None)
        if address is None:
            return None
        line = self.waiting.pop(address)
        turn = line.popleft()
        if line:
            # Behind the others.
            self.waiting[address] = line
        return turn


class PageThreads:
    """Gives out `places` of threads, and half as many for what is slow; used in one event loop."""

    def __init__(self, places: int, *, slow_seconds: float = SLOW_SECONDS) -> None:
        self.slow_places = max(1, places // 2)
        self._slow_seconds = slow_seconds
        self.quick, self.slow = Lot(places), Lot(self.slow_places)
        #: Places that one address may hold.
        self.share = max(1, places // 2)
        self._taken, self._waiting = Counter[str](), Counter[str]()
        #: When a kind counts as quick again.
        self._slow_until = dict[str, float]()
        #: Those that are slow, and hold a place among the quick.
        self._late = list[Turn]()

    async def begin(self, address: str, kind: str) -> Turn:
        """Wait for a thread; Crowded when there is none in time."""
        loop = asyncio.get_running_loop()
        turn = Turn(address, kind, self._lot_of(kind, loop.time()), loop.create_future())
        if turn.lot.free and self._may_start(address):
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
        if turn in self._late:
            self._late.remove(turn)
        _decrease(self._taken, turn.address)
        turn.lot.free += 1
        self._give_out(loop)

    def _lot_of(self, kind: str, now: float) -> Lot:
        return self.slow if self._slow_until.get(kind, 0.0) > now else self.quick

    def _may_start(self, address: str) -> bool:
        return self._taken[address] < self.share

    def _refuse_crowds(self, turn: Turn) -> None:
        if self._waiting[turn.address] >= MAX_WAITING_OF_ADDRESS:
            raise Crowded(HTTPStatus.TOO_MANY_REQUESTS)
        if turn.lot is self.slow and sum(map(len, self.slow.waiting.values())) >= MAX_WAITING_SLOW:
            raise Crowded(HTTPStatus.SERVICE_UNAVAILABLE)

    def _start(self, turn: Turn, loop: asyncio.AbstractEventLoop) -> None:
        if turn.timer:
            turn.timer.cancel()
        turn.lot.free -= 1
        self._taken[turn.address] += 1
        turn.began = loop.time()
        turn.timer = loop.call_later(self._slow_seconds, self._note_slow, turn)

    def _note_slow(self, turn: Turn) -> None:
        loop = asyncio.get_running_loop()
        self._remember(turn.kind, loop.time())
        if turn.lot is self.quick:
            self._late.append(turn)
            self._give_out(loop)

    def _remember(self, kind: str, now: float) -> None:
        if len(self._slow_until) >= MAX_KINDS:
            self._slow_until.clear()
        self._slow_until[kind] = now + REMEMBERED_SECONDS

    def _give_out(self, loop: asyncio.AbstractEventLoop) -> None:
        """Move who is slow to the second lot, then start who waits, as far as there are places."""
        while self._late and self.slow.free:
            late = self._late.pop(0)
            late.lot = self.slow
            self.slow.free -= 1
            self.quick.free += 1
        for lot in (self.quick, self.slow):
            while lot.free and (turn := lot.take_next(self._may_start)):
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
        wait = MAX_SLOW_WAIT_SECONDS if turn.lot is self.slow else MAX_WAIT_SECONDS
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
