"""Sentinels replace the master of an open sale while people buy."""

import pytest

from tests.faults.cluster import sale_under_load
from tests.faults.fault_site import BackgroundCrowd, FaultSite
from tests.redis_nodes.sentinel import Watched
from tests.sites import wait_until

pytestmark = [pytest.mark.fault, pytest.mark.redis_nodes, pytest.mark.timeout(300)]


@pytest.mark.parametrize("is_frozen", [False, True], ids=["killed", "frozen"])
def test_a_sale_goes_on_at_the_replica(on_sentinels: FaultSite, watched: Watched, is_frozen: bool) -> None:
    sale = sale_under_load.open_sale(on_sentinels)
    master = watched.master()

    def lose(rush: BackgroundCrowd) -> None:
        if is_frozen:
            master.freeze()
        else:
            master.kill()
        with watched.impatient():
            wait_until(
                lambda: watched.master() is not master, seconds=120, otherwise="the Sentinels replace nobody"
            )
        sale.end_hold(rush)

    sale.run(lose)
    # The one that was replaced comes back, and follows.
    watched.heal()
    assert master.role() == "slave"
