"""The master of an open sale dies while people buy: CLUSTERDOWN, then its replica is promoted."""

import pytest
from redis.crc import key_slot

from apps.coupons import keys
from tests.faults.cluster import sale_under_load
from tests.faults.fault_site import BackgroundCrowd, FaultSite
from tests.redis_nodes.cluster import Cluster
from tests.redis_nodes.server import RedisNode
from tests.sites import wait_until

pytestmark = [pytest.mark.fault, pytest.mark.redis_nodes, pytest.mark.timeout(300)]


@pytest.mark.parametrize("is_frozen", [False, True], ids=["killed", "frozen"])
def test_a_sale_goes_on_at_the_replica(on_cluster: FaultSite, nodes: Cluster, is_frozen: bool) -> None:
    sale = sale_under_load.open_sale(on_cluster)
    master, replica = _servers(nodes, sale.voucher_id)

    def lose(rush: BackgroundCrowd) -> None:
        if is_frozen:
            master.freeze()
        else:
            master.kill()
        wait_until_promoted(nodes, replica)
        sale.end_hold(rush)

    sale.run(lose)
    assert replica.role() == "master"


def test_a_sale_goes_on_when_both_die_in_turn(on_cluster: FaultSite, nodes: Cluster) -> None:
    """The first comes back as the replica of the one that it once fed, and is promoted again."""
    sale = sale_under_load.open_sale(on_cluster)
    first, second = _servers(nodes, sale.voucher_id)

    def lose_both(rush: BackgroundCrowd) -> None:
        first.kill()
        wait_until_promoted(nodes, second)
        first.start()
        wait_until(lambda: second.followers() == [first.port], seconds=120, otherwise="nobody follows")
        second.kill()
        wait_until_promoted(nodes, first)
        sale.end_hold(rush)

    sale.run(lose_both)


def _servers(nodes: Cluster, voucher_id: int) -> tuple[RedisNode, RedisNode]:
    """Return the master that serves a sale, and its replica."""
    master = nodes.owner(key_slot(keys.for_sale(voucher_id).stock.encode()))
    return master, nodes.replica_of(master)


def wait_until_promoted(nodes: Cluster, replica: RedisNode) -> None:
    """Have the other nodes take a dead master's replica for the master."""
    with nodes.impatient():
        wait_until(lambda: replica.role() == "master", seconds=120, otherwise="nobody is promoted")
