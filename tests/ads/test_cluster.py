"""Ads on a Redis Cluster: all keys share one slot, so that a budget is spent in every place at once."""

import pytest

from apps.ads import changes, insight, keys, loading, serving, tasks
from apps.ads.models import Campaign
from apps.ads.serving import Outcome
from apps.redis_kit import client
from tests.ads import makers
from tests.ads.makers import VIEWER
from tests.differences import find_differences
from tests.redis_kit.test_cluster import cluster_url, on_the_cluster

__all__ = ["cluster_url", "on_the_cluster"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis_nodes]
COST = 250_000


def click() -> serving.Served:
    served = makers.serve("tea", locations=["area:shanghai/hongkou", "city:shanghai", "everywhere"])
    makers.see(served)
    assert serving.record_click(served.ticket, VIEWER).outcome is Outcome.CHARGED
    return served


def test_ads_are_served_charged_and_written_on_a_cluster() -> None:
    ad = makers.ad(words=["tea"], locations=[("", ""), ("Shanghai", "Hongkou")])
    served = click()
    assert serving.hide(served.ticket, VIEWER)
    assert serving.choose("shop", [], makers.ANYWHERE, VIEWER) is None
    assert tasks.save() == 1
    assert Campaign.objects.get().charged_micros == COST
    changes.change_budget(ad.campaign_id, 4 * COST)
    assert makers.left(ad.campaign) == 3 * COST
    tasks.pace()
    (candidate,) = insight.why_here(["tea"], makers.ANYWHERE)
    assert (candidate.ad_id, candidate.words) == (ad.pk, ("tea",))
    assert find_differences("ads") == []


def test_a_rebuild_and_a_repair_work_on_a_cluster() -> None:
    ad = makers.ad(words=["tea"])
    click()
    tasks.save()
    client.get().flushall()
    assert loading.rebuild(lambda _done, _total: None) == 1
    client.get().hincrby(keys.LEFT(), str(ad.campaign_id), 7)
    assert len(find_differences("ads", fix=True)) == 1
    assert find_differences("ads") == []
    click()
