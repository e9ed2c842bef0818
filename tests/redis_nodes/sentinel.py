"""Three Sentinels that watch a master with a replica, all real servers on loopback."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tests.redis_nodes.server import RedisNode
from tests.sites import wait_until

SERVICE, SENTINELS, QUORUM = "sales", 3, 2
READY_SECONDS = 120.0
#: Milliseconds of silence after which a master is replaced: a crowded machine stalls for seconds.
PATIENT_TIMEOUT_MS, QUICK_TIMEOUT_MS = 60_000, 1_500
#: Milliseconds for a replacement, before another is tried; no master is replaced again within twice as long.
FAILOVER_MS = 5_000


@dataclass
class Watched:
    """The two servers, and the Sentinels that say which of them is the master."""

    servers: list[RedisNode]
    sentinels: list[RedisNode]
    tls: Path | None = None

    @property
    def url(self) -> str:
        places = ",".join(f"127.0.0.1:{one.port}" for one in self.sentinels)
        if self.tls:
            authority = self.tls / "fullchain.pem"
            return f"rediss+sentinel://{places}/0?service={SERVICE}&ssl_ca_certs={authority}"
        return f"redis+sentinel://{places}/0?service={SERVICE}"

    def master(self) -> RedisNode:
        """Return the server that the first Sentinel names."""
        with self.sentinels[0].connect() as connected:
            _, port = connected.execute_command("SENTINEL GET-MASTER-ADDR-BY-NAME", SERVICE)
        return next(one for one in self.servers if one.port == int(port))

    @contextmanager
    def impatient(self) -> Iterator[None]:
        """Have the Sentinels replace a silent master at once, for the block alone."""
        self._set_timeout(QUICK_TIMEOUT_MS)
        try:
            yield
        finally:
            self._set_timeout(PATIENT_TIMEOUT_MS)

    def heal(self) -> None:
        """Start a server that a test has left dead or frozen, and wait until it follows the other one."""
        for one in self.servers:
            if one.process.poll() is None:
                one.thaw()
            else:
                one.start()
        wait_until(self._is_ready, seconds=READY_SECONDS, otherwise="the replica doesn't follow")

    def _is_ready(self) -> bool:
        views = [self._view(one) for one in self.sentinels]
        roles = sorted(one.role() for one in self.servers)
        return roles == ["master", "slave"] and all(
            (view["num-slaves"], view["num-other-sentinels"], view["flags"]) == (1, SENTINELS - 1, "master")
            for view in views
        )

    def _set_timeout(self, milliseconds: int) -> None:
        for one in self.sentinels:
            with one.connect() as connected:
                connected.execute_command("SENTINEL SET", SERVICE, "down-after-milliseconds", milliseconds)

    def _view(self, sentinel: RedisNode) -> dict[str, Any]:
        with sentinel.connect() as connected:
            return cast(dict[str, Any], connected.sentinel_master(SERVICE, return_responses=True))


@contextmanager
def run_sentinels(
    directory: Path, *, password: str = "", sentinel_password: str = "", tls: Path | None = None
) -> Iterator[Watched]:
    """Run them for the block; `impatient` has them replace a silent master.

    With a password the servers, or the Sentinels, let nobody in without it; with `tls`, the folder of a
    certificate, nobody without TLS.
    """
    with ExitStack() as stack:

        def run(name: str, **options: Any) -> RedisNode:
            node = RedisNode(directory / name, tls=tls, **options)
            stack.callback(node.kill)
            return node

        common: dict[str, Any] = {"save": '""', "appendonly": "yes", "repl_diskless_sync_delay": 0}
        common |= {"requirepass": password, "masterauth": password} if password else {}
        own = {"requirepass": sentinel_password} if sentinel_password else {}
        master = run("0", **common)
        servers = [master, run("1", **common, replicaof=f"127.0.0.1 {master.port}")]
        watched = Watched(servers, [], tls)
        for number in range(SENTINELS):
            rules = f"monitor {SERVICE} 127.0.0.1 {master.port} {QUORUM}\n"
            rules += f"sentinel down-after-milliseconds {SERVICE} {PATIENT_TIMEOUT_MS}\n"
            rules += f"sentinel failover-timeout {SERVICE} {FAILOVER_MS}"
            rules += f"\nsentinel auth-pass {SERVICE} {password}" if password else ""
            rules += f"\nsentinel sentinel-pass {sentinel_password}" if sentinel_password else ""
            watched.sentinels.append(run(f"sentinel{number}", mode="--sentinel", sentinel=rules, **own))
        watched.heal()
        yield watched
