"""Visits on a Redis Cluster: keys of one command share a slot, and one view reaches several."""

from datetime import timedelta

import pytest
from redis.crc import key_slot

from apps.redis_kit import client
from apps.uv import counting, days, popular, recent, visitors, visits
from apps.uv.page_kinds import Scope
from tests.redis_kit.test_cluster import cluster_url, on_the_cluster
from tests.uv.browsing import read_counts

__all__ = ["cluster_url", "on_the_cluster"]

pytestmark = [pytest.mark.django_db, pytest.mark.redis_nodes]
SHOP = Scope("shop", 7)


def slots(names: list[str]) -> set[int]:
    return {key_slot(name.encode()) for name in names}


def test_all_days_of_a_scope_and_all_keys_of_a_view_share_a_slot() -> None:
    month = days.ending_on(days.today(), 30)
    for object_id in (0, 7):
        assert len(slots([visits.visitors_key("shop", object_id, day) for day in month])) == 1
    held, _ = popular.view_call(SHOP, ["visitor"], days.today())
    assert len(slots(list(held))) == 1


def test_the_site_and_the_kinds_are_spread() -> None:
    names = [visits.visitors_key(scope, 0, days.today()) for scope in ("site", "shop", "note", "home")]
    assert len(slots(names)) == 4


def test_views_are_counted_kept_merged_and_remembered() -> None:
    for number, user_id in ((1, None), (2, 9), (2, 9)):
        counting.count(counting.View(SHOP, visitors.digest(f"{number:022}"), user_id))
    assert (read_counts("site"), read_counts("shop"), read_counts("shop", 7)) == ((2, 3), (2, 3), (2, 3))
    assert visits.write_counts() == 3
    found = visits.build_report(SHOP, days.today() - timedelta(days=3), days.today())
    assert (found.week, found.month) == (visits.Count(2, 3), visits.Count(2, 3))
    assert popular.top_ids("shop", 5) == [7]
    assert [one.object_id for one in recent.newest("u9")] == [7]


def test_what_a_browser_saw_moves_between_slots() -> None:
    browser = recent.visitor_owner(visitors.digest("1".rjust(22, "0")))
    counting.count(counting.View(SHOP, visitors.digest("1".rjust(22, "0"))))
    recent._move_history(client.get("stats"), browser, "u9")
    assert [one.object_id for one in recent.newest("u9")] == [7]
    assert recent.newest(browser) == []
