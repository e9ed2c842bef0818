"""A deploy in the middle of a sale: two releases side by side on a Cluster whose servers die and move."""

import hashlib
import shutil
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis.crc import key_slot

from apps.coupons import keys
from tests.faults import service_manager
from tests.faults.cluster import sale_under_load
from tests.faults.cluster.test_master_killed import wait_until_promoted
from tests.faults.fault_site import BackgroundCrowd, FaultSite
from tests.redis_nodes.cluster import Cluster
from tests.redis_nodes.server import RedisNode
from tests.sites import ROOT

pytestmark = [pytest.mark.fault, pytest.mark.redis_nodes, pytest.mark.timeout(300)]

#: What a release needs to run; the rest of the checkout stays where it is.
RELEASE = ["apps", "config", "deploy", "locale", "static", "templates", "manage.py", "Procfile"]
SCRIPTS = Path("apps/coupons/claims/lua")


def test_a_master_dies_and_its_slot_moves_while_two_releases_sell(
    on_cluster: FaultSite, nodes: Cluster, tmp_path: Path
) -> None:
    """Each release has its own text of every script, as after a change, and both sell from the same keys.

    The older one is restarted as the newer one before the sale is over.
    """
    following = _next_release(tmp_path / "release")
    sale = sale_under_load.open_sale(on_cluster)
    slot = key_slot(keys.for_sale(sale.voucher_id).stock.encode())
    master = nodes.owner(slot)
    replica = nodes.replica_of(master)
    target = next(node for node in nodes.nodes if node.role() == "master" and node is not master)

    with service_manager.run(on_cluster, tmp_path) as manager:
        manager.start(1)
        manager.start(2, following)

        def lose_move_and_deploy(rush: BackgroundCrowd) -> None:
            # The first one stands still, with the whole crowd, until the other one has claimed, too.
            with _frozen(manager.processes[1]):
                manager.processes[2].send_signal(signal.SIGCONT)
                buyer = next(iter(rush.load.tally.promised))
                assert _claim_again(manager.port, sale.voucher_id, on_cluster.tokens[buyer]) == 409
                assert _know_scripts(master, ROOT, following) == [True, True], "both releases have claimed"
                master.kill()
            wait_until_promoted(nodes, replica)
            assert nodes.move_slot(slot, target) >= 5
            manager.stop(1)
            manager.start(1, following)
            sale.end_hold(rush)

        # Whichever wakes first takes all connections that wait. Here it is the first release; the crowd
        # goes over to the other one as the first is stopped.
        with _frozen(manager.processes[2]):
            sale.run(lose_move_and_deploy, after=100)
        assert nodes.owner(slot) is target


@contextmanager
def _frozen(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def _claim_again(port: int, voucher_id: int, token: str) -> int:
    """The status of a further claim by who has bought, on a new connection; it changes nothing."""
    asked = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/vouchers/{voucher_id}/seckill",
        method="POST",
        headers={"Authorization": f"Bearer {token}", "Connection": "close"},
    )
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def _next_release(place: Path) -> Path:
    """Copy the site's code, with another text of each script."""
    for name in RELEASE:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            place.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, place / name)
    for script in place.glob("apps/**/lua/*.lua"):
        script.write_text(f"{script.read_text()}-- The next release.\n")
    return place


def _know_scripts(server: RedisNode, *roots: Path) -> list[bool]:
    """Whether a server has been sent the claim's script of each release."""
    digests = [hashlib.sha1(_claim_script(root).encode()).hexdigest() for root in roots]  # noqa: S324
    with server.connect() as connected:
        return [bool(found) for found in connected.script_exists(*digests)]


def _claim_script(root: Path) -> str:
    """The text of a release's script of claims, with its part (redis_kit.scripts)."""
    part, claim = ((root / SCRIPTS / name).read_text() for name in ("read_rules.lua", "claim.lua"))
    return f"local function read_rules(KEYS, ARGV)\n{part}end\n{claim}"
