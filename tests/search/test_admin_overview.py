import pytest
from django.test import Client

from apps.monitoring import rebuilding as progress
from apps.search import admin
from apps.search.index import rebuilding
from apps.search.words import search_counts
from tests.blog import makers
from tests.search.words.makers import searched

pytestmark = pytest.mark.django_db
PAGE = "/admin/search/overview/"


def test_staff_reads_what_was_missed_what_was_slow_and_how_large_the_index_is(boss: Client) -> None:
    makers.shop()
    rebuilding.rebuild()
    searched("durian", people=2, hits=0)
    search_counts.count_slow("notes by votes, 3 words", 340)
    page = boss.get(PAGE).content.decode()
    for words in ("durian", "notes by votes, 3 words", "340", "just now"):
        assert words in page
    assert "words=durian," in page


def test_an_empty_page_says_what_it_would_show(boss: Client) -> None:
    page = boss.get(PAGE).content.decode()
    for words in ("Everybody found something this week.", "never", "five different people"):
        assert words in page


def test_a_rebuild_is_begun_once(boss: Client) -> None:
    assert progress.claim(admin.REBUILD, by="Bob")
    answer = boss.post(f"{PAGE}rebuild/", follow=True)
    assert "already under way" in answer.content.decode()
    assert "Waiting for a worker" in boss.get(f"{PAGE}index/").content.decode()


def test_others_may_not_see_it(client: Client) -> None:
    assert client.get(PAGE).status_code == 302


@pytest.mark.both_databases
@pytest.mark.usefixtures("redis_away")
def test_without_redis_the_page_says_so(boss: Client) -> None:
    assert "Search is away until it does." in boss.get(PAGE).content.decode()
