"""The Grafana dashboard asks for nothing that /metrics doesn't say."""

import json
import re

import pytest
import redis
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from apps.metrics import samples, sending
from apps.metrics.gathering import Gathered, Sample
from tests.checks.sources import ROOT
from tests.factories import ReconciliationFactory

DASHBOARD = ROOT / "docs" / "grafana" / "savor.json"


@pytest.mark.django_db
def test_every_metric_of_the_dashboard_exists(client: Client, guarded_redis: redis.Redis) -> None:
    ReconciliationFactory.create()
    sending.report(guarded_redis, sending.Process.new("web"))
    events = {"claims.accepted": 1, "logins": 1}
    samples.add(guarded_redis, Gathered([Sample("home", 0.004, 200)], events))
    text = client.get("/metrics").content.decode()
    known = {sample.name for family in text_string_to_metric_families(text) for sample in family.samples}
    panels = json.loads(DASHBOARD.read_text())["panels"]
    wanted = {
        name
        for panel in panels
        for target in panel["targets"]
        for name in re.findall(r"savor_\w+", target["expr"])
    }
    assert len(wanted) > 10
    assert wanted - known == set()
