"""A Redis Cluster of real servers on loopback: masters that share the slots, each with its replicas."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import redis

from tests.redis_nodes import redis_urls
from tests.redis_nodes.server import RedisNode
from tests.sites import free_port, wait_until

SLOTS = 16_384
#: Starting takes seconds; the rest is for a machine that stalls.
READY_SECONDS = 120.0
#: Milliseconds of silence after which the others take a node for dead: a crowded machine stalls for seconds.
PATIENT_TIMEOUT_MS, QUICK_TIMEOUT_MS = 60_000, 1_500
#: A master with slots counts as dead for twice as long after it came back, also with who reads so in its
#: own file: a node that was killed before it heard of the return. Who dies in a stall meanwhile comes back.
HEALING_TIMEOUT_MS = 5_000
#: Milliseconds for a key's way to another node.
MOVE_TIMEOUT_MS = 30_000
#: No wait for other replicas to ask for the same copy, and a log that holds what a sale writes meanwhile.
OPTIONS: dict[str, Any] = {"save": '""', "repl_diskless_sync_delay": 0, "cluster_enabled": "yes"}


class Cluster:
    """The nodes by their ports. `masters` are the first ones; who is one now, the nodes themselves say."""

    def __init__(self, nodes: list[RedisNode], *, masters: int, tls: Path | None = None) -> None:
        self.nodes, self.masters = nodes, nodes[:masters]
        places = ",".join(f"127.0.0.1:{node.port}" for node in nodes)
        self.url = f"redis+cluster://{places}"
        if tls:
            self.url = f"rediss+cluster://{places}/?ssl_ca_certs={tls / 'fullchain.pem'}"

    def connect(self) -> redis.Redis:
        """Return a client that finds its way."""
        return redis_urls.connect(self.url)

    def owner(self, slot: int) -> RedisNode:
        """Return the node that serves a slot, once all nodes name the same one: a promotion takes its way."""

        def named() -> set[int]:
            return {port for node in self._awake() for port in _owners(node, slot)}

        wait_until(
            lambda: len(named()) == 1,
            seconds=READY_SECONDS,
            otherwise=f"the nodes name several for slot {slot}",
        )
        return self.node_at(named().pop())

    def node_at(self, port: int) -> RedisNode:
        return next(node for node in self.nodes if node.port == port)

    def replica_of(self, master: RedisNode) -> RedisNode:
        """Return a replica of a master; AssertionError when it has none that is connected."""
        following = master.followers()
        assert following
        return self.node_at(following[0])

    def move_slot(self, slot: int, to: RedisNode, *, between: Callable[[], object] = lambda: None) -> int:
        """Move a slot key by key, as redis-cli does; `between` is called after each. Return how many keys."""
        source, moved = self.owner(slot), 0
        with source.connect() as old, to.connect() as new:
            new.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", node_id(source))
            old.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", node_id(to))
            while names := old.execute_command("CLUSTER GETKEYSINSLOT", slot, 1):
                old.execute_command("MIGRATE", "127.0.0.1", to.port, names[0], 0, MOVE_TIMEOUT_MS)
                moved += 1
                between()
            for node in (new, old):
                node.execute_command("CLUSTER SETSLOT", slot, "NODE", node_id(to))
        wait_until(
            lambda: all(_owners(node, slot) == {to.port} for node in self._awake()), seconds=READY_SECONDS
        )
        return moved

    def wait_ready(self) -> None:
        """Wait until every node knows all others, all slots are served, and each master has its replicas."""
        replicas = len(self.nodes) // len(self.masters) - 1
        for node in self.nodes:
            wait_until(
                partial(_is_ready, node, len(self.nodes), replicas),
                seconds=READY_SECONDS,
                otherwise=f"node {node.port} doesn't get ready: {node.directory}/server.log",
            )

    @contextmanager
    def impatient(self, timeout_ms: int = QUICK_TIMEOUT_MS) -> Iterator[None]:
        """Have the nodes take a silent one for dead at once, for the block alone."""
        self._set_timeout(timeout_ms)
        try:
            yield
        finally:
            self._set_timeout(PATIENT_TIMEOUT_MS)

    def heal(self) -> None:
        """Start the nodes that a test has left dead or frozen, and wait until all is as at first."""
        for node in self.nodes:
            node.thaw() if node.process.poll() is None else node.start()
        with self.impatient(HEALING_TIMEOUT_MS):
            self.wait_ready()

    def _set_timeout(self, milliseconds: int) -> None:
        for node in self._awake():
            with node.connect() as connected:
                connected.config_set("cluster-node-timeout", milliseconds)

    def _awake(self) -> list[RedisNode]:
        return [node for node in self.nodes if node.is_awake]


@contextmanager
def run_cluster(
    directory: Path,
    *,
    masters: int = 3,
    replicas: int = 1,
    tls: Path | None = None,
    **options: Any,
) -> Iterator[Cluster]:
    """Run a cluster for the block: the slots are spread evenly, and the nodes end with it.

    With `tls`, the folder of a certificate, nobody and no node gets in without TLS.
    """
    options |= {"tls_cluster": "yes"} if tls else {}
    with ExitStack() as stack:
        nodes: list[RedisNode] = []
        for number in range(masters * (1 + replicas)):
            bus: dict[str, Any] = {"cluster_port": free_port(), "cluster_node_timeout": PATIENT_TIMEOUT_MS}
            nodes.append(RedisNode(directory / str(number), tls=tls, **OPTIONS, **bus, **options))
            stack.callback(nodes[-1].kill)
        cluster = Cluster(nodes, masters=masters, tls=tls)
        _join(cluster)
        yield cluster


def node_id(node: RedisNode) -> str:
    with node.connect() as connected:
        return str(connected.execute_command("CLUSTER MYID"))


def _join(cluster: Cluster) -> None:
    for number, node in enumerate(cluster.nodes):
        with node.connect() as connected:
            connected.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
            if node in cluster.masters:
                first, last = (SLOTS * place // len(cluster.masters) for place in (number, number + 1))
                connected.execute_command("CLUSTER ADDSLOTSRANGE", first, last - 1)
            for other in cluster.nodes[:number]:
                bus = other.options["cluster_port"]
                connected.execute_command("CLUSTER MEET", "127.0.0.1", other.port, bus)
    for number, node in enumerate(cluster.nodes[len(cluster.masters) :]):
        master = cluster.masters[number % len(cluster.masters)]
        with node.connect() as connected:
            wait_until(partial(_follow, connected, node_id(master)), seconds=READY_SECONDS)
    cluster.wait_ready()


def _follow(connected: redis.Redis, master_id: str) -> bool:
    try:
        connected.execute_command("CLUSTER REPLICATE", master_id)
    except redis.ResponseError:
        # It has not heard of its master yet.
        return False
    return True


def _is_ready(node: RedisNode, known: int, replicas: int) -> bool:
    with node.connect() as connected:
        info, replication = connected.cluster("info"), connected.info("replication")
    if info["cluster_state"] != "ok" or int(info["cluster_known_nodes"]) != known:
        return False
    if replication["role"] == "slave":
        return bool(replication["master_link_status"] == "up")
    return int(replication["connected_slaves"]) == replicas


def _owners(node: RedisNode, slot: int) -> set[int]:
    with node.connect() as connected:
        ranges: Any = connected.execute_command("CLUSTER SLOTS")
    return {int(master[1]) for first, last, master, *_ in ranges if first <= slot <= last}
