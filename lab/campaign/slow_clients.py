"""What 5,000 clients who drip a head and 1,000 who leave a body open cost everybody else."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event

from lab.campaign import report
from lab.campaign.campaign_site import CampaignSite, run_site
from tests.faults import test_slow_clients as slow

DRIPPING, OPEN_BODIES = 5_000, 1_000
#: A byte from each so often, in seconds; pages asked for, one after another.
DRIP_SECONDS, PAGES = 1.0, 1_500
#: The bar: other people's p99 with them, in multiples of that without.
MOST_TIMES = 2.0


def run(count: int, seed: int, until: float) -> int:
    """Measure, print and maybe publish; exit code 1 past the bar."""
    with run_site(10) as ground:
        _measure(ground)
        alone = _measure(ground)
        with slow_crowd(ground.site.port) as reopened:
            crowded = _measure(ground)
    times = crowded[1] / alone[1]
    text = (
        f"`make campaign ONLY=slow`: {DRIPPING:,} clients drip a request's head, a byte a second, and "
        f"{OPEN_BODIES:,} leave a body open; whoever is cut comes again ({reopened.value:,} did). Of "
        f"{PAGES:,} pages for others p50 was {crowded[0] * 1000:.1f} ms instead of {alone[0] * 1000:.1f} ms, "
        f"p99 {crowded[1] * 1000:.1f} ms instead of {alone[1] * 1000:.1f} ms: {times:.2f} times. "
        f"{report.machine()}."
    )
    report.finish("slow clients", text)
    return int(times > MOST_TIMES)


@contextmanager
def slow_crowd(port: int) -> Iterator["Synchronized[int]"]:
    """All of them for the block, in a process of their own; yields how many were cut and came again."""
    context = get_context("spawn")
    reopened, there, stopping = context.Value("i", 0), context.Event(), context.Event()
    process = context.Process(target=_drip, args=[port, reopened, there, stopping])
    process.start()
    try:
        assert there.wait(120), "the slow clients are not there"
        yield reopened
    finally:
        stopping.set()
        process.join()


def _drip(port: int, reopened: "Synchronized[int]", there: Event, stopping: Event) -> None:
    """Keep the crowd up: each head gets a byte a second, and who is cut comes again."""
    crowd = [_begin(port, number) for number in range(DRIPPING + OPEN_BODIES)]
    there.set()
    while not stopping.wait(DRIP_SECONDS):
        for number, one in enumerate(crowd):
            if not _send_byte(one, is_head=number < DRIPPING):
                reopened.value += 1
                one.close()
                crowd[number] = _begin(port, number)
    for one in crowd:
        one.close()


def _begin(port: int, number: int) -> socket.socket:
    one = socket.create_connection(("127.0.0.1", port), timeout=60)
    one.sendall(slow.HEAD if number < DRIPPING else slow.BODY)
    one.setblocking(False)
    return one


def _send_byte(one: socket.socket, *, is_head: bool) -> bool:
    """Whether the site still listens; a body only stays open."""
    try:
        if is_head:
            return one.send(b"x") == 1
        return bool(one.recv(1_000))
    except BlockingIOError:
        return True
    except OSError:
        return False


def _measure(ground: CampaignSite) -> tuple[float, float]:
    """The p50 and p99 of a page, in seconds."""
    times = []
    for _ in range(PAGES):
        began = time.monotonic()
        slow.open_page(ground)
        times.append(time.monotonic() - began)
        time.sleep(0.005)
    return report.percentile(times, 0.5), report.percentile(times, 0.99)
