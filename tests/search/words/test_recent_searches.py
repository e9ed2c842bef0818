import pytest

from apps.redis_kit import client
from apps.search import keys
from apps.search.words import recent_searches


def test_the_newest_comes_first_and_each_text_once() -> None:
    for text in ("noodle", "hot pot", "noodle"):
        recent_searches.remember("u1", text)
    assert recent_searches.newest("u1") == ["noodle", "hot pot"]
    assert recent_searches.newest("u2") == []


def test_ten_are_kept_and_they_expire() -> None:
    for number in range(12):
        recent_searches.remember("u1", f"word {number:02d}")
    assert recent_searches.newest("u1") == [f"word {number:02d}" for number in range(11, 1, -1)]
    assert 0 < client.get().ttl(keys.RECENT_SEARCHES(who="u1")) <= keys.RECENT_TTL_SECONDS


def test_one_is_removed_and_then_all() -> None:
    for text in ("noodle", "hot pot", "三楼"):
        recent_searches.remember("u1", text)
    recent_searches.remove("u1", "hot pot")
    assert set(recent_searches.newest("u1")) == {"noodle", "三楼"}
    recent_searches.clear("u1")
    assert recent_searches.newest("u1") == []


def test_nobody_has_no_list() -> None:
    recent_searches.remember("", "noodle")
    recent_searches.clear("")
    assert recent_searches.newest("") == []


@pytest.mark.usefixtures("redis_away")
def test_without_redis_nothing_is_remembered_and_removing_fails_aloud() -> None:
    recent_searches.remember("u1", "noodle")
    assert recent_searches.newest("u1") == []
    with pytest.raises(client.UNAVAILABLE):
        recent_searches.remove("u1", "noodle")
