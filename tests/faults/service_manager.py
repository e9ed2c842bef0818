"""Web processes of deploy/savor-web@.service on one listener, as systemd runs them, of any release."""

import signal
import socket
import subprocess
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import contextmanager
from pathlib import Path

from tests.faults.fault_site import FaultSite
from tests.sites import ROOT, Site

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

    def start(self, number: int, root: Path = ROOT) -> None:
        """Start an instance, of the release that lies in `root`, and return when it is ready."""
        unit = ConfigParser(interpolation=None)
        unit.read(root / "deploy" / "savor-web@.service")
        command = unit["Service"]["ExecStart"].replace("$$", "$")
        file = self._listener.fileno()
        with (self._site.directory / f"web-{number}.log").open("ab") as log:
            # Not sh: Debian's knows no file of two digits.
            self.processes[number] = subprocess.Popen(
                ["bash", "-c", f"exec 3<&{file}; {command}"],
                cwd=root,
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
def run(running_site: FaultSite, place: Path) -> Iterator[ServiceManager]:
    """The site's base URL is the manager's listener for the block; its processes end with it."""
    manager, usual = ServiceManager(running_site.site, place), running_site.site.base_url
    running_site.site.base_url = f"http://127.0.0.1:{manager.port}"
    try:
        yield manager
    finally:
        running_site.site.base_url = usual
        manager.close()
