"""Generates load with a person for every request: by wrk, or by the load lab if wrk isn't installed.

Debian and its like have wrk as a package; it costs a fifth of what the load lab's Python does.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from lab.load import crowd_processes
from tests.crowd import buyers, people, request_templates
from tests.crowd.request_templates import Crowd

SCRIPT = Path(__file__).with_name("wrk.lua")
#: Seconds after which an answer counts as none.
TIMEOUT_SECONDS = 10
#: People in a wave for each connection: a step is answered before its person's next one is sent.
WAVE_CONNECTIONS = 4
#: How often `watch` is called, in seconds.
POLL_SECONDS = 0.25
WRK = shutil.which("wrk")


@dataclass(frozen=True)
class RequestPlan:
    """A plan of requests: each person in `tokens` (a file, one a line) claims from each sale in turn.

    A `crowd` may send something else than claims, and several requests for each pair.
    """

    url: str
    sales: Sequence[int]
    tokens: Path
    prefix: str
    connections: int = 64
    #: Whole seconds, as wrk takes them.
    seconds: int = 3
    #: Requests a second; 0 is as many as are answered.
    rate: int = 0
    #: The turn to begin with; whether each turn is another sale's, instead of one sale after the other.
    first: int = 0
    spread: bool = False
    crowd: Crowd = people.BARE_BEARER
    #: People who take each of several steps together; 0: as many as steps that depend on each other need.
    wave: int = 0


@dataclass
class RequestResults:
    """The results of a plan; times in ms, `errors` of connections, `work` in the generator's CPU seconds."""

    codes: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    p50: float = 0.0
    p99: float = 0.0
    slowest: float = 0.0
    work: float = 0.0
    #: Orders promised, where a repeated request may repeat its 201; None: as many as there were 201.
    orders: int | None = None

    @property
    def promised(self) -> int:
        """How many orders people were promised."""
        return self.codes["201"] if self.orders is None else self.orders

    @property
    def answers(self) -> int:
        return sum(self.codes.values())

    def rate(self, *wanted: str) -> float:
        """Return answers a second, of the wanted codes or of all."""
        return sum(self.codes[code] for code in wanted or self.codes) / self.seconds


def no_watch() -> None:
    """Do nothing; the default `watch`."""


def run_requests(aim: RequestPlan, watch: Callable[[], object] = no_watch) -> RequestResults:
    """Run a plan for its seconds; `watch` is called a few times a second meanwhile."""
    return (run_with_wrk if WRK else run_with_crowd)(aim, watch)


def generator_name() -> str:
    """Return the generator's name for the report."""
    if not WRK:
        return "the load lab's generator in one process of Python (wrk is not installed)"
    said = subprocess.run([WRK, "--version"], capture_output=True, text=True, check=False).stdout
    return f"{' '.join(said.split()[:2])} in one thread"


def run_with_wrk(aim: RequestPlan, watch: Callable[[], object]) -> RequestResults:
    """Run a plan with wrk, whose script prints its counts as JSON."""
    options = [
        "-t1",
        f"-c{aim.connections}",
        f"-d{aim.seconds}s",
        f"--timeout={TIMEOUT_SECONDS}s",
        "-s",
        str(SCRIPT),
    ]
    before = _children()
    with (
        _text_file(request_templates.to_file(aim.crowd, urlsplit(aim.url).netloc)) as crowd,
        _text_file(_list_people(aim.tokens)) as everybody,
    ):
        process = subprocess.Popen(
            [str(WRK), *options, aim.url],
            env=os.environ
            | {f"AIM_{name}": value for name, value in _wrk_environment(aim, crowd, everybody).items()},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            said = _watched(process, watch)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return _parse_wrk_output(said, _children() - before)


@contextmanager
def _text_file(text: str) -> Iterator[str]:
    """The name of a file with this text, until the block ends."""
    with tempfile.NamedTemporaryFile("w", prefix="savor-crowd-") as file:
        file.write(text)
        file.flush()
        yield file.name


def _list_people(tokens: Path) -> str:
    return "".join(f"{token} {request_templates.visitor(token)}\n" for token in tokens.read_text().split())


def _wrk_environment(aim: RequestPlan, crowd: str, everybody: str) -> dict[str, str]:
    """Return the environment variables that wrk.lua reads; `crowd` and `everybody` are its files."""
    return {
        "PEOPLE": everybody,
        "CROWD": crowd,
        "SALES": " ".join(map(str, aim.sales)),
        "PREFIX": aim.prefix,
        "WAVE": str(aim.wave or WAVE_CONNECTIONS * aim.connections),
        "KEY_LENGTH": str(request_templates.KEY_LENGTH),
        "FIRST": str(aim.first),
        "SPREAD": str(int(aim.spread)),
        "RATE": str(aim.rate),
    }


def _watched(process: subprocess.Popen[str], watch: Callable[[], object]) -> str:
    while True:
        try:
            return process.communicate(timeout=POLL_SECONDS)[0]
        except subprocess.TimeoutExpired:
            watch()


def _parse_wrk_output(said: str, work: float) -> RequestResults:
    lines = [line for line in said.splitlines() if line.startswith("{")]
    assert lines, f"wrk gave up: {said}"
    found = json.loads(lines[-1])
    errors = Counter({kind: count for kind, count in found.pop("errors").items() if count})
    return RequestResults(codes=Counter(found.pop("codes")), errors=errors, work=work, **found)


def _children() -> float:
    """Return the CPU seconds of the child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_with_crowd(aim: RequestPlan, watch: Callable[[], object]) -> RequestResults:
    """Run a plan with the load lab: it uses the first sale and first step only and ignores `rate`."""
    kind = buyers.Crowd(
        aim.url,
        aim.sales[0] if aim.sales else 0,
        aim.tokens.read_text().split(),
        prefix=aim.prefix,
        connections=aim.connections,
        duration=float(aim.seconds),
        kinds=aim.crowd,
    )
    with crowd_processes.run_crowd(kind, 1) as busy:
        while not busy.done:
            time.sleep(POLL_SECONDS)
            busy.collect()
            watch()
        busy.collect()
    tally = busy.tally
    lost = Counter({"lost": tally.lost} if tally.lost else {})
    p50, p99, slowest = (tally.percentile(share) * 1_000 for share in (0.5, 0.99, 1.0))
    return RequestResults(tally.codes, lost, busy.seconds, p50, p99, slowest, busy.cpu, len(tally.promised))
