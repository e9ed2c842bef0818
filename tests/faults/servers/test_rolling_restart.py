"""Two web processes of deploy/savor-web@.service on one listener, restarted in turn as a deploy does."""

import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from configparser import ConfigParser
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.crowd import site_setup
from tests.faults.fault_site import FaultSite
from tests.faults.sale_requests import send_as_person
from tests.sites import ROOT, Site

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]

START_SECONDS = 120.0


class ServiceManager:
    """What systemd does for the unit: it holds the listener, hands it over as file 3 and hears of READY=1."""

    def __init__(self, site: Site, place: Path) -> None:
        self._site = site
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self._notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notices.bind(str(place / "notify"))
        self._notices.settimeout(START_SECONDS)
        self._environment = site.environment | {"NOTIFY_SOCKET": str(place / "notify")}
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        self.port = int(self._listener.getsockname()[1])

    def start(self, number: int) -> None:
        """Start an instance and return when it is ready."""
        unit = ConfigParser(interpolation=None)
        unit.read(ROOT / "deploy" / "savor-web@.service")
        command = unit["Service"]["ExecStart"].replace("$$", "$")
        file = self._listener.fileno()
        with (self._site.directory / f"web-{number}.log").open("ab") as log:
            # Not sh: Debian's knows no file of two digits.
            self.processes[number] = subprocess.Popen(
                ["bash", "-c", f"exec 3<&{file}; {command}"],
                cwd=ROOT,
                env=self._environment,
                pass_fds=[file],
                stdout=log,
                stderr=log,
            )
        assert self._notices.recv(100) == b"READY=1"

    def stop(self, number: int) -> None:
        process = self.processes.pop(number)
        process.send_signal(signal.SIGTERM)
        process.wait(60)

    def close(self) -> None:
        for number in list(self.processes):
            self.stop(number)
        self._listener.close()
        self._notices.close()


@contextmanager
def _managed(running_site: FaultSite, place: Path) -> Iterator[ServiceManager]:
    manager, usual = ServiceManager(running_site.site, place), running_site.site.base_url
    running_site.site.base_url = f"http://127.0.0.1:{manager.port}"
    try:
        yield manager
    finally:
        running_site.site.base_url = usual
        manager.close()


def test_a_restart_in_turn_refuses_nobody_and_lets_nobody_wait(
    running_site: FaultSite, tmp_path: Path
) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=1_000)
    with _managed(running_site, tmp_path) as manager:
        for number in (1, 2):
            manager.start(number)
        restarted = threading.Event()

        def claim_on(first: int) -> list[tuple[int, float]]:
            """Statuses and seconds of one claim after another, each by a new connection."""
            said = []
            for person in range(first, 1_000, 4):
                answer = send_as_person(running_site, sale, person)
                said.append((answer.status, answer.seconds))
                if restarted.wait(0.05):
                    break
            return said

        with ThreadPoolExecutor(4) as pool:
            crowd = [pool.submit(claim_on, first) for first in range(4)]
            try:
                for number in (1, 2):
                    manager.stop(number)
                    manager.start(number)
            finally:
                restarted.set()
            answers = [answer for one in crowd for answer in one.result()]
    assert {status for status, _ in answers} == {201}
    print(f"{len(answers)} claims, the slowest took {max(seconds for _, seconds in answers):.2f} s")
    running_site.drain(sale)
    assert running_site.books.rows(sale) == len(answers)
