import pytest
from django.core.exceptions import ValidationError

from apps.redis_kit import client
from apps.search import keys
from apps.search.models import SynonymGroup
from apps.search.words import recent_searches, word_lists
from tests.factories import BlockedWordFactory, StopWordFactory
from tests.search.words import makers


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


@pytest.mark.django_db
def test_synonyms_lead_to_each_other_through_all_their_groups() -> None:
    makers.synonyms("Hotpot， hot  pot；火锅")
    makers.synonyms("火锅, 涮锅")
    synonyms = word_lists.load().synonyms
    assert synonyms["hotpot"] == ("hot pot", "火锅")
    assert synonyms["火锅"] == ("hotpot", "hot pot", "涮锅")


@pytest.mark.django_db
def test_stop_words_are_added_or_kept() -> None:
    StopWordFactory.create(word="shop")
    StopWordFactory.create(word="the", is_searched=True)
    found = word_lists.load()
    assert [*found.stop_words, *found.kept_words] == ["shop", "the"]


@pytest.mark.django_db(transaction=True)
def test_a_change_is_read_after_its_commit() -> None:
    assert word_lists.load().blocked == frozenset()
    BlockedWordFactory.create(word="scam")
    word_lists.changed()
    assert word_lists.load().blocked == {"scam"}


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_away")
def test_without_redis_the_words_come_from_sql() -> None:
    BlockedWordFactory.create(word="scam")
    assert word_lists.load().blocked == {"scam"}


@pytest.mark.django_db
def test_a_blocked_word_is_whole_in_latin_and_anywhere_in_chinese() -> None:
    for word in ("scam", "赌博", "c++"):
        BlockedWordFactory.create(word=word)
    blocked = word_lists.load()
    assert all(blocked.is_blocked(text) for text in ("a scam here", "网上赌博网", "c++"))
    assert not any(blocked.is_blocked(text) for text in ("scampi", "博赌", ""))


@pytest.mark.parametrize("words", ["", "hotpot", "hotpot, HOTPOT", ", ".join("abcdefghi"), "a, " + "b" * 41])
def test_a_group_has_two_to_eight_short_words(words: str) -> None:
    with pytest.raises(ValidationError):
        SynonymGroup(words=words).clean()
