"""Compares the endpoint on a Redis Cluster of three with one server: the same contract, and the rates."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import redis

from lab.bench.seckill import contract_check, sale_site, web_servers
from lab.bench.seckill.case_rounds import Case, Requirement, Section
from lab.bench.seckill.harness import Bench, describe_round
from lab.bench.seckill.process_meter import Meter
from lab.bench.seckill.request_generator import RequestPlan
from lab.bench.seckill.sale_site import SaleSite
from lab.bench.seckill.web_servers import Server
from tests.redis_nodes.cluster import run_cluster
from tests.sites import wait_until

#: Sales that are asked in turn, so that every node has some.
SALES = 12
#: Units that the contract's cases get, and orders that have to become rows.
UNITS = 1
PATIENCE = 30.0


def measure_cluster(bench: Bench) -> Section:
    """Check the contract on both, then measure one server and three nodes in turn."""
    bars = _contract("one Redis", bench.ground, bench.web)
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="savor-cluster-")))
        cluster = stack.enter_context(run_cluster(directory, replicas=0, appendonly="yes"))
        bench.say("a second site, on a cluster of three")
        ground = stack.enter_context(_ground(bench, cluster.url))
        web = stack.enter_context(web_servers.run_savor(ground.site))
        bars += [*_contract("a cluster of three", ground, web), _books(ground)]
        meter = Meter(web.group, tuple(stack.enter_context(node.connect()) for node in cluster.nodes))
        forget = _forgetting(stack.enter_context(cluster.connect()))
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
def _ground(bench: Bench, url: str) -> Iterator[SaleSite]:
    environment = {"REDIS_URL": url, "CELERY_BROKER_URL": "memory://"}
    with sale_site.run_site(bench.sizes.people, bench.sizes.shops, environment) as ground:
        yield ground
