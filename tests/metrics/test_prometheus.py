"""/metrics: who may read it, and what it says."""

import re
from http import HTTPStatus

import pytest
import redis
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families
from pytest_django.fixtures import Settings

from apps.metrics import gauges, samples, sending
from apps.metrics.gathering import Gathered, Sample
from tests.factories import ReconciliationFactory

pytestmark = pytest.mark.django_db


def scrape(client: Client) -> dict[str, float]:
    """Each sample's value by its name with labels, as the library reads them."""
    answer = client.get("/metrics")
    assert answer.status_code == HTTPStatus.OK
    text = answer.content.decode()
    return {
        f"{sample.name}{[value for _, value in sorted(sample.labels.items())]}": sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_requests_durations_and_claims_of_all_processes(client: Client, guarded_redis: redis.Redis) -> None:
    for _ in range(2):
        home = [Sample("home", 0.004, 200), Sample("home", 0.3, 503)]
        samples.add(
            guarded_redis, Gathered([*home, Sample("verb/search", 20)], {"claims.sold_out": 7, "logins": 1})
        )
    found = scrape(client)
    assert found["savor_requests_total['home', '2xx']"] == found["savor_requests_total['home', '5xx']"] == 2
    assert found["savor_claims_total['sold_out']"] == 14
    assert found["savor_events_total['logins']"] == 2
    buckets = {
        bound: found[f"savor_duration_seconds_bucket['view', '{bound}', 'home']"]
        for bound in ("0.0025", "0.005", "0.25", "0.5", "+Inf")
    }
    assert list(buckets.values()) == [0, 2, 2, 4, 4]
    assert found["savor_duration_seconds_sum['view', 'home']"] == pytest.approx(0.608)
    assert found["savor_duration_seconds_bucket['verb', '10.0', 'search']"] == 0
    assert found["savor_duration_seconds_count['verb', 'search']"] == 2


def test_present_values_are_those_of_the_apps(client: Client, guarded_redis: redis.Redis) -> None:
    ReconciliationFactory.create(violations=["a", "b"], fixed=1)
    process = sending.Process.new("web")
    sending.report(guarded_redis, process)
    found = scrape(client)
    assert found["savor_redis_up[]"] == 1
    assert found["savor_redis_memory_bytes[]"] > 100_000
    assert found["savor_processes['web']"] == 1
    assert 0 <= found["savor_redis_pool_in_use['default']"] <= found["savor_redis_pool_limit['default']"]
    assert found["savor_orders_queued[]"] == found["savor_order_stream_entries['waiting']"] == 0
    assert found["savor_queue_messages['normal']"] == 0
    assert found["savor_reconciliation['violations']"] == 2
    assert found["savor_reconciliation['repaired']"] == 1
    assert 0 <= found["savor_reconciliation['age_seconds']"] < 600


def test_a_gauge_that_fails_hides_no_other(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> dict[str, float]:
        raise ValueError("no number")

    broken = gauges.Gauge("Breaks.", fail)
    with gauges.GAUGES.registered(broken, key="savor_broken"):
        found = scrape(client)
    assert "savor_broken[]" not in found
    assert found["savor_redis_up[]"] == 1
    assert "savor_broken can't be read" in caplog.text


@pytest.mark.usefixtures("redis_away")
def test_without_redis_it_says_so(client: Client) -> None:
    assert scrape(client) == {"savor_redis_up[]": 0}


@pytest.mark.usefixtures("guarded_redis")
@pytest.mark.parametrize(
    ("peer", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("::1", {}, 200),
        ("10.0.0.7", {}, 403),
        # A proxy on this machine asks for somebody else.
        ("127.0.0.1", {"X-Forwarded-For": "203.0.113.9"}, 403),
        ("", {}, 403),
        ("10.0.0.7", {"Authorization": "Bearer right-token"}, 200),
        ("127.0.0.1", {"X-Forwarded-For": "203.0.113.9", "Authorization": "Bearer right-token"}, 200),
        ("10.0.0.7", {"Authorization": "Bearer wrong-token"}, 403),
    ],
)
def test_only_this_machine_or_the_token_reads_it(
    settings: Settings, peer: str, headers: dict[str, str], status: int
) -> None:
    settings.METRICS_TOKEN = "right-token"
    assert Client().get("/metrics", REMOTE_ADDR=peer, headers=headers).status_code == status


def test_without_a_token_none_is_right(settings: Settings) -> None:
    settings.METRICS_TOKEN = ""
    answer = Client().get("/metrics", REMOTE_ADDR="10.0.0.7", headers={"Authorization": "Bearer "})
    assert answer.status_code == HTTPStatus.FORBIDDEN


def test_a_process_that_no_longer_reports_is_gone(guarded_redis: redis.Redis) -> None:
    gone, alive = sending.Process.new("web"), sending.Process.new("worker")
    sending.report(guarded_redis, gone)
    guarded_redis.delete(*guarded_redis.scan_iter(f"*process:{gone.name}"))
    sending.report(guarded_redis, alive)
    assert sending.read(guarded_redis).roles == {"worker": 1}
    # Each node of a Cluster has a pool of its own.
    assert sending.pool_use()["default"].limit % 50 == 0


def test_labels_are_no_paths(client: Client, guarded_redis: redis.Redis) -> None:
    samples.add(guarded_redis, Gathered([Sample("shops:detail", 0.004, 200)], {}))
    assert not [name for name in scrape(client) if re.search(r"/\d|/shops", name)]
