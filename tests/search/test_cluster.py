"""Search on a Redis Cluster: the keys of a kind share a slot; orders, phrases and counts are read there."""

import pytest

from apps.search.index import draining, rebuilding
from apps.search.query.search import SearchPage, SearchRequest, search
from apps.search.suggest import finding, indexing
from apps.search.words import search_counts
from apps.shops import changes as shop_changes
from tests.blog import makers
from tests.differences import find_differences
from tests.redis_kit.test_cluster import cluster_url, on_the_cluster
from tests.search.index.entries import list_stale_keys
from tests.search.words import makers as search_makers

__all__ = ["cluster_url", "on_the_cluster"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis_nodes]


def find(text: str, order: str = "relevance") -> SearchPage:
    return search(SearchRequest(text=text, kind="shops", order=order))


def names(page: SearchPage) -> list[str]:
    return [hit.thing.name_en for hit in page.hits]


def test_shops_are_found_counted_and_reconciled_on_a_cluster() -> None:
    lakeside = makers.shop("Lakeside Noodle House", name_zh="湖畔面馆", rating=45)
    makers.shop("Noodle Bar", name_zh="面吧", rating=49)
    rebuilding.rebuild()
    assert set(names(find("noodle"))) == {"Lakeside Noodle House", "Noodle Bar"}
    assert names(find('"noodle house"')) == names(find("lakeside noodle")) == ["Lakeside Noodle House"]
    assert names(find("noodle", "rating")) == ["Noodle Bar", "Lakeside Noodle House"]
    assert names(find("nodle")) == names(find("noodle"))
    lakeside.name_en = "Lakeside Dumplings"
    shop_changes.save(lakeside)
    draining.index_waiting()
    assert names(find("dumplings")) == ["Lakeside Dumplings"]
    assert names(find("noodle")) == ["Noodle Bar"]
    assert (find_differences("search.index"), list_stale_keys()) == ([], [])


def test_names_are_suggested_and_words_counted_on_a_cluster() -> None:
    makers.shop("Haidilao Hotpot", name_zh="海底捞火锅")
    indexing.rebuild(lambda _done, _total: None)
    assert [line.name for line in finding.find_suggestions("hdl", "shops")] == ["Haidilao Hotpot"]
    assert [line.name for line in finding.find_suggestions("hotptot", "shops")] == ["Haidilao Hotpot"]
    search_makers.searched("火锅", people=6)
    assert search_counts.trending() == ["火锅"]
    search_counts.count_slow("all", 1_000)
    assert [one.shape for one in search_counts.slow()] == ["all"]
