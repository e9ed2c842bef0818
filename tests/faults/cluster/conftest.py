"""Whole sites whose Redis is a Cluster, or a master with Sentinels; the broker keeps its own server."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from apps.demo import embedded_address
from tests.crowd import site_setup
from tests.faults.fault_site import HOLD_SECONDS, FaultSite, run_fault_site
from tests.redis_nodes import cluster, sentinel
from tests.redis_nodes.cluster import Cluster
from tests.redis_nodes.sentinel import Watched
from tests.sites import Site


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three masters with a replica each."""
    with cluster.run_cluster(tmp_path_factory.mktemp("nodes"), appendonly="yes") as running:
        yield running


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """A master with a replica, and three Sentinels."""
    with sentinel.run_sentinels(tmp_path_factory.mktemp("watched")) as running:
        yield running


@pytest.fixture(scope="module")
def running_on_cluster(nodes: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultSite]:
    with _run_site(nodes.url, tmp_path_factory.mktemp("site")) as running_site:
        yield running_site


@pytest.fixture(scope="module")
def running_on_sentinels(watched: Watched, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultSite]:
    with _run_site(watched.url, tmp_path_factory.mktemp("site")) as running_site:
        yield running_site


@pytest.fixture
def on_cluster(running_on_cluster: FaultSite, nodes: Cluster, trial: int) -> Iterator[FaultSite]:
    """The site on the Cluster, with everything running; afterwards all its sales must reconcile cleanly."""
    yield from _check_afterwards(running_on_cluster, nodes)


@pytest.fixture
def on_sentinels(running_on_sentinels: FaultSite, watched: Watched, trial: int) -> Iterator[FaultSite]:
    """The same on the master that the Sentinels name."""
    yield from _check_afterwards(running_on_sentinels, watched)


def _run_site(redis_url: str, directory: Path) -> AbstractContextManager[FaultSite]:
    broker = embedded_address.broker_url(directory / "redis", db=1)
    site = Site(
        directory,
        REDIS_URL=redis_url,
        CELERY_BROKER_URL=broker,
        SALE_HOLD_SECONDS=f"{HOLD_SECONDS}",
    )
    return run_fault_site(site)


def _check_afterwards(running_site: FaultSite, servers: Cluster | Watched) -> Iterator[FaultSite]:
    running_site.heal()
    yield running_site
    servers.heal()
    running_site.heal()
    running_site.wait_for_loads()
    report = site_setup.reconcile(running_site.clerk)
    assert report["clean"], report["left"]
