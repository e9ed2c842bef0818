"""The disk is full: Redis refuses writes, or SQL does. Nobody reads "500", and nothing is lost."""

import time

import pytest

from tests.crowd import site_setup
from tests.faults import server_weather
from tests.faults.fault_site import FaultSite, child_pids
from tests.faults.sale_requests import send_as_person
from tests.faults.server_weather import Weather

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]


@pytest.mark.parametrize(
    "weather",
    [server_weather.full_disk, server_weather.full_memory, server_weather.read_only],
    ids=["full_disk", "full_memory", "read_only"],
)
def test_a_redis_that_takes_no_writes_is_an_outage(running_site: FaultSite, weather: Weather) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=100)
    with running_site.rush(running_site.crowd(sale, 400, connections=8)) as rush:
        rush.wait_for(40)
        with running_site.books.redis() as connected, weather(connected):
            answers = [send_as_person(running_site, sale, number, key="full") for number in range(10)]
            pages = [
                send_as_person(running_site, sale, 0, path=path, method="GET")
                for path in ("/api/me", "/readyz")
            ]
            time.sleep(1)
        tally = rush.result()
    assert {answer.status for answer in answers} == {503}
    assert all(answer.retry_after for answer in answers)
    assert [page.status for page in pages] == [200, 503]
    assert not [code for code in tally.codes if code.startswith("5") and not code.startswith("503")]
    assert [
        name for name in ("web", "consumer") if running_site.site.processes[name].poll() is not None
    ] == []
    running_site.drain(sale)
    # The ten people above may have bought with another key than the crowd's.
    assert running_site.books.rows(sale) == 100
    assert site_setup.reconcile(running_site.clerk)["clean"]


def test_a_full_disk_of_sql_delays_and_loses_nothing(running_site: FaultSite) -> None:
    """What a limit on the size of files does to SQLite, the consumer's process feels alone."""
    sale, before = site_setup.create_sale(running_site.clerk, stock=100), running_site.dead_letters()
    consumer = running_site.site.processes["consumer"]
    # The shell of the Procfile has become the process itself.
    with server_weather.full_disk_of(consumer.pid):
        tally = running_site.sell(running_site.crowd(sale, 200))
        time.sleep(8)
        if running_site.books.is_sqlite:
            assert running_site.books.rows(sale) == 0
    assert consumer.poll() is None
    assert child_pids(consumer) == []
    running_site.kept(sale, stock=100, tally=tally)
    assert running_site.dead_letters() == before
