import pytest
from django.core.exceptions import ValidationError

from apps.search.models import SynonymGroup
from apps.search.words import word_lists
from tests.factories import BlockedWordFactory, StopWordFactory
from tests.search.words import makers


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
