"""Compares the endpoint on a Redis Cluster of three with one server: the same contract, and the rates."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import redis
from redis.cluster import ClusterNode, RedisCluster

from apps.demo import embedded_redis
from tests.bench.seckill import contract_check, sale_site, web_servers
from tests.bench.seckill.case_rounds import Case, Requirement, Section
from tests.bench.seckill.harness import Bench, describe_round
from tests.bench.seckill.process_meter import Meter
from tests.bench.seckill.request_generator import RequestPlan
from tests.bench.seckill.sale_site import SaleSite
from tests.bench.seckill.web_servers import Server
from tests.sites import ROOT, free_port, wait_until

NODES, SLOTS = 3, 16_384
#: Sales that are asked in turn, so that every node has some.
SALES = 12
#: Units that the contract's cases get, and orders that have to become rows.
UNITS = 1
PATIENCE = 30.0


def measure_cluster(bench: Bench) -> Section:
    """Check the contract on both, then measure one server and three nodes in turn."""
    bars = _contract("one Redis", bench.ground, bench.web)
    with ExitStack() as stack:
        ports = stack.enter_context(_run_three_nodes())
        bench.say("a second site, on a cluster of three")
        ground = stack.enter_context(_ground(bench, ports))
        web = stack.enter_context(web_servers.run_savor(ground.site))
        bars += [*_contract("a cluster of three", ground, web), _books(ground)]
        meter = Meter(web.group, tuple(_node(stack, port) for port in ports))
        several = stack.enter_context(
            RedisCluster(startup_nodes=[ClusterNode("127.0.0.1", port) for port in ports])
        )
        forget = _forgetting(several)
        measured = bench.measure(
            bench.in_stock("one Redis", bench.web),
            Case("three nodes", meter, _one_sale(bench, ground, web), after=forget),
            Case(
                f"three nodes, {SALES} sales at once",
                meter,
                _measure_many_sales(bench, ground, web),
                after=forget,
            ),
            rounds=bench.sizes.few_rounds,
        )
    about = (
        f"In stock, 64 connections, the consumer paused; {describe_round(bench.sizes)}. Three nodes with "
        "their append-only files on the same cores. One sale is on one node; of several at once, each "
        "request asks another."
    )
    return bench.section("The flash sale on a Redis Cluster", measured, about, *bars)


def _contract(where: str, ground: SaleSite, web: Server) -> list[Requirement]:
    broken = contract_check.find_violations(ground, web)
    kept = f"{len(contract_check.EXPECTED_ANSWERS)} kinds of answers as documented"
    return [Requirement(f"the contract on {where}", kept, "; ".join(broken) or kept, not broken)]


def _books(ground: SaleSite) -> Requirement:
    """Require that every order accepted on the cluster becomes a row and reconciliation is clean."""
    recorded = _count_orders(ground)
    with web_servers.run_consumer(ground.site):
        wait_until(
            lambda: _count_orders(ground) == recorded + UNITS,
            seconds=PATIENCE,
            otherwise="the orders of the contract are no rows",
        )
    found = ground.reconcile()
    return Requirement("reconcile on the cluster", "clean", found, found == "clean")


def _count_orders(ground: SaleSite) -> int:
    return int(ground.books.select("SELECT count(*) FROM coupons_voucherorder")[0][0])


def _one_sale(bench: Bench, ground: SaleSite, web: Server) -> Callable[[], RequestPlan]:
    return lambda: ground.aim(web, ground.fresh(bench.sizes.seconds), bench.sizes.seconds)


def _measure_many_sales(bench: Bench, ground: SaleSite, web: Server) -> Callable[[], RequestPlan]:
    return lambda: replace(ground.aim(web, ground.sales(SALES), bench.sizes.seconds), spread=True)


def _forgetting(several: redis.Redis) -> Callable[[RequestPlan], None]:
    return lambda aim: sale_site.delete_sale_keys(several, aim.sales)


@contextmanager
def _ground(bench: Bench, ports: list[int]) -> Iterator[SaleSite]:
    url = "redis+cluster://" + ",".join(f"127.0.0.1:{port}" for port in ports)
    environment = {"REDIS_URL": url, "CELERY_BROKER_URL": "memory://"}
    with sale_site.run_site(bench.sizes.people, bench.sizes.shops, environment) as ground:
        yield ground


def _node(stack: ExitStack, port: int) -> redis.Redis:
    connected = redis.Redis(port=port, decode_responses=True, protocol=2)
    stack.callback(connected.close)
    return connected


@contextmanager
def _run_three_nodes() -> Iterator[list[int]]:
    """Run three nodes on loopback that share the slots; yield their ports."""
    with tempfile.TemporaryDirectory(prefix="savor-cluster-") as directory, ExitStack() as stack:
        places = [(free_port(), free_port()) for _ in range(NODES)]
        for port, bus in places:
            stack.enter_context(_server(Path(directory) / str(port), port, bus))
        nodes = [_node(stack, port) for port, _ in places]
        for number, node in enumerate(nodes):
            wait_until(partial(_answers, node), seconds=PATIENCE, otherwise="a node is silent")
            node.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
            first, last = (SLOTS * place // NODES for place in (number, number + 1))
            node.execute_command("CLUSTER ADDSLOTSRANGE", first, last - 1)
            nodes[0].execute_command("CLUSTER MEET", "127.0.0.1", *places[number])
        wait_until(lambda: all(map(_is_ready, nodes)), seconds=PATIENCE, otherwise="the nodes don't meet")
        yield [port for port, _ in places]


@contextmanager
def _server(directory: Path, port: int, bus: int) -> Iterator[None]:
    directory.mkdir()
    options = {
        "port": port,
        "bind": "127.0.0.1",
        "cluster-enabled": "yes",
        "cluster-port": bus,
        "dir": directory,
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
    }
    words = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
    lifeline = [sys.executable, "-m", "apps.web.child_process"]
    server = subprocess.Popen(
        [*lifeline, str(embedded_redis.find_binary()), *words],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        server.terminate()
        server.wait(20)


def _answers(node: redis.Redis) -> bool:
    try:
        return bool(node.ping())
    except redis.ConnectionError:
        return False


def _is_ready(node: redis.Redis) -> bool:
    """Tell whether a node knows all nodes and an owner for every slot."""
    info = node.cluster("info")
    return info["cluster_state"] == "ok" and int(info["cluster_known_nodes"]) == NODES
