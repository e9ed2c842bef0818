"""An open sale's slot moves to another master, key by key, while people buy: ASK, TRYAGAIN, MOVED."""

import time

import pytest
from redis.crc import key_slot

from apps.coupons import keys
from tests.faults.cluster import sale_under_load
from tests.faults.fault_site import BackgroundCrowd, FaultSite
from tests.redis_nodes.cluster import Cluster

pytestmark = [pytest.mark.fault, pytest.mark.redis_nodes, pytest.mark.timeout(300)]


def test_a_sale_goes_on_where_its_slot_has_moved(on_cluster: FaultSite, nodes: Cluster) -> None:
    sale = sale_under_load.open_sale(on_cluster)
    slot = key_slot(keys.for_sale(sale.voucher_id).stock.encode())
    source = nodes.owner(slot)
    target = next(node for node in nodes.masters if node is not source and node.role() == "master")

    def move(rush: BackgroundCrowd) -> None:
        began = time.monotonic()
        moved = nodes.move_slot(slot, target, between=lambda: time.sleep(0.05))
        print(f"\n{moved} keys moved in {time.monotonic() - began:.1f} s")
        assert moved >= 5
        sale.end_hold(rush)

    sale.run(move)
    assert nodes.owner(slot) is target


def test_log_ins_and_limits_move_under_load(on_cluster: FaultSite, nodes: Cluster) -> None:
    """Whatever one master holds besides the sale moves away while people buy."""
    sale = sale_under_load.open_sale(on_cluster)
    own = key_slot(keys.for_sale(sale.voucher_id).stock.encode())
    source = next(node for node in nodes.nodes if node.role() == "master" and node is not nodes.owner(own))
    target = nodes.owner(own)

    def move(_rush: BackgroundCrowd) -> None:
        with source.connect() as connected:
            names = [str(name) for name in connected.scan_iter(count=1_000)]
        slots = sorted({key_slot(name.encode()) for name in names})[:60]
        assert sum(nodes.move_slot(slot, target) for slot in slots) >= 20

    sale.run(move)
