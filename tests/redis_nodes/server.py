"""Real Redis servers on free loopback ports, each a process that ends with the test process."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from apps.demo import embedded_redis
from tests.sites import ROOT, free_port, wait_until

START_SECONDS = 60.0


class RedisNode:
    """One server process on a port of its own, with its options; `kill`, `freeze`, `start` again.

    `tls` is the folder of a certificate and its key, with which it takes connections with TLS alone.
    """

    def __init__(
        self, directory: Path, *, port: int = 0, mode: str = "", tls: Path | None = None, **options: object
    ) -> None:
        self.directory, self.port, self._mode, self._tls = directory, port or free_port(), mode, tls
        self.is_awake = False
        self.options = {"port": self.port, "bind": "127.0.0.1", "dir": directory, **options}
        if tls:
            self.options |= {"port": 0, "tls_port": self.port, "tls_auth_clients": "no"}
            self.options |= {"tls_replication": "yes", "tls_ca_cert_file": tls / "fullchain.pem"}
            self.options |= {
                "tls_cert_file": tls / "fullchain.pem",
                "tls_key_file": tls / "privkey.pem",
            }
        self.start()

    def start(self) -> None:
        """Start the process on its directory; its configuration file keeps what it wrote there."""
        self.directory.mkdir(parents=True, exist_ok=True)
        file = self.directory / "redis.conf"
        if not file.exists():
            lines = (f"{name.replace('_', '-')} {value}\n" for name, value in self.options.items())
            file.write_text("".join(lines))
        command = [embedded_redis.find_binary(), file, *([self._mode] if self._mode else [])]
        with (self.directory / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "apps.web.child_process", *map(str, command)],
                cwd=ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.is_awake = True
        wait_until(self.answers, seconds=START_SECONDS, otherwise=f"see {self.directory}/server.log")

    def connect(self) -> redis.Redis:
        """Return a client of this server alone, which follows no redirection and repeats nothing."""
        return redis.Redis(
            port=self.port,
            password=str(self.options["requirepass"]) if "requirepass" in self.options else None,
            decode_responses=True,
            protocol=2,
            ssl=self._tls is not None,
            ssl_ca_certs=str(self._tls / "fullchain.pem") if self._tls else None,
            socket_timeout=30,
            retry=Retry(NoBackoff(), 0),
        )

    def answers(self) -> bool:
        assert self.process.poll() is None, (self.directory / "server.log").read_text()[-2000:]
        with self.connect() as connected, suppress(redis.RedisError):
            return bool(connected.ping())
        return False

    def role(self) -> str:
        with self.connect() as connected:
            return str(connected.info("replication")["role"])

    def followers(self) -> list[int]:
        """Return the ports of the replicas that have all and follow."""
        with self.connect() as connected:
            found: Any = connected.info("replication")
        each = [found[f"slave{number}"] for number in range(found["connected_slaves"])]
        return [int(one["port"]) for one in each if one["state"] == "online"]

    def kill(self) -> None:
        """End the process as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def freeze(self) -> None:
        """Stop the process: connections stay open and nothing is answered, as when its machine is cut off."""
        self.is_awake = False
        os.kill(self.process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        self.is_awake = True
        os.kill(self.process.pid, signal.SIGCONT)

    def _end(self, how: signal.Signals) -> None:
        self.is_awake = False
        if self.process.poll() is None:
            self.process.send_signal(how)
            self.process.send_signal(signal.SIGCONT)
        self.process.wait(30)
