import pytest
import redis
from django.utils import translation

from apps.redis_kit import client
from apps.search import keys
from apps.search.query.search import SearchRequest, search
from apps.search.words import search_counts, word_lists
from apps.shops.geo import cities
from tests import races
from tests.factories import BlockedWordFactory
from tests.search import corpora
from tests.search.words import makers

pytestmark = pytest.mark.django_db


def test_a_text_is_trending_once_five_people_found_something() -> None:
    makers.searched("Hot  Pot", people=5)
    makers.searched("noodle", people=4)
    makers.searched("火锅", people=6)
    makers.searched("nothing here", people=9, hits=0)
    assert search_counts.trending() == ["火锅", "hot pot"]


def test_a_city_has_its_own_trends_and_a_quiet_one_those_of_all() -> None:
    hangzhou, shanghai, everywhere = cities.choices()
    makers.searched("noodle", people=5, city=hangzhou)
    assert [search_counts.trending(city) for city in (hangzhou, shanghai, everywhere)] == [["noodle"]] * 3
    makers.searched("massage", people=6, city=shanghai)
    assert search_counts.trending(hangzhou) == ["noodle"]
    assert search_counts.trending(shanghai) == ["massage"]
    assert search_counts.trending(everywhere) == search_counts.trending() == ["massage", "noodle"]


def test_a_reader_sees_trends_in_their_own_script() -> None:
    for number in range(9):
        makers.searched(f"word {number}", people=14 - number)
        makers.searched(f"词{number}", people=14 - number)
    with translation.override("zh-hans"):
        assert search_counts.trending_for_reader() == [f"词{number}" for number in range(9)]
    assert search_counts.trending_for_reader() == [f"word {number}" for number in range(9)]
    assert len(search_counts.trending()) == search_counts.MAX_TRENDING


def test_few_trends_in_a_script_are_filled_up_from_the_other() -> None:
    for number in range(8):
        makers.searched(f"word {number}", people=14 - number)
    makers.searched("火锅", people=5)
    with translation.override("zh-hans"):
        assert search_counts.trending_for_reader() == ["火锅", *(f"word {number}" for number in range(5))]


def test_a_person_counts_once_and_so_do_visitors_behind_one_address() -> None:
    for _ in range(9):
        search_counts.count(makers.request_of(1), "noodle", hits=1, city=cities.first())
    week = search_counts.current_week()
    assert client.get().zscore(keys.SEARCHED(week=week), "noodle") == 1


def test_fifty_searches_at_once_of_ten_people_count_ten(race: races.Race) -> None:
    race(
        50,
        lambda number: search_counts.count(
            makers.request_of(number % 10 + 1), "noodle", hits=1, city=cities.first()
        ),
    )
    assert client.get().zscore(keys.SEARCHED(week=search_counts.current_week()), "noodle") == 10


def test_counts_expire() -> None:
    makers.searched("noodle", people=1)
    search_counts.count_slow("all", 1_000)
    week = search_counts.current_week()
    for key in (keys.SEARCHERS, keys.SEARCHED, keys.SLOW_WORST, keys.SLOW_TIMES):
        assert 0 < client.get().ttl(key(week=week)) <= keys.WEEK_TTL_SECONDS


@pytest.mark.parametrize(
    "text", ["alice@example.org", "138 0000 0001", "call 13800000001", "", " ", "x" * 41]
)
def test_texts_that_may_be_somebodys_own_are_not_counted(guarded_redis: redis.Redis, text: str) -> None:
    makers.searched(text, people=6)
    assert client.count_keys(guarded_redis) == 0


def test_blocked_words_trend_nowhere() -> None:
    makers.searched("free scam", people=5)
    BlockedWordFactory.create(word="scam")
    assert search_counts.trending() == []


def test_a_blocked_word_is_proposed_to_nobody() -> None:
    """Neither instead of a typed word nor as a better spelling of it."""
    with corpora.indexed(dict.fromkeys(range(1, 30), "scammy words") | {30: "scamny"}):
        asked = [SearchRequest(text=typed, kind=corpora.NAME) for typed in ("scamxy", "scamny")]
        mistyped, rare = map(search, asked)
        assert (mistyped.corrected, rare.did_you_mean) == ("scammy", "scammy")
        BlockedWordFactory.create(word="scammy")
        word_lists._CACHE.invalidate()
        after = [search(one) for one in asked]
        assert "scammy" not in {page.corrected for page in after} | {page.did_you_mean for page in after}


def test_staff_sees_what_two_people_missed() -> None:
    makers.searched("durian", people=2, hits=0)
    makers.searched("private joke", people=1, hits=0)
    assert search_counts.missed() == [search_counts.CountedWord("durian", 2)]


def test_a_full_week_counts_known_words_only() -> None:
    full = {f"word{number}": 1 for number in range(search_counts.MAX_WORDS)}
    client.get().zadd(keys.SEARCHED(week=search_counts.current_week()), full)
    client.get().expire(keys.SEARCHED(week=search_counts.current_week()), 60)
    makers.searched("word1", people=4)
    makers.searched("newcomer", people=5)
    assert search_counts.trending() == ["word1"]


def test_a_script_that_searches_all_day_makes_no_trends() -> None:
    for number in range(search_counts.COUNTED_PER_HOUR.allowed + 9):
        search_counts.count(makers.request_of(1), f"word {number}", hits=1, city=cities.first())
    words = client.get().zcard(keys.SEARCHED(week=search_counts.current_week()))
    assert words == search_counts.COUNTED_PER_HOUR.allowed


def test_slow_searches_are_kept_by_shape() -> None:
    for milliseconds in (5, 150, 340, 220):
        search_counts.count_slow("notes by votes, 3 words", milliseconds)
    assert search_counts.slow() == [search_counts.SlowSearch("notes by votes, 3 words", 340, 3)]


@pytest.mark.usefixtures("redis_away")
def test_without_redis_nothing_is_counted_and_nothing_fails() -> None:
    makers.searched("noodle", people=1)
    assert (search_counts.trending(), search_counts.missed(), search_counts.slow()) == ([], [], [])
