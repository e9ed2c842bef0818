from urllib.parse import urlencode

import pytest
from django.test import Client

from apps.search.models import SynonymGroup
from apps.search.words import word_lists

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


def post(boss: Client, path: str, **fields: str) -> int:
    form = "application/x-www-form-urlencoded"
    return boss.post(f"/admin/search/{path}", urlencode(fields), content_type=form).status_code


def test_words_that_staff_adds_and_deletes_are_in_force_at_once(boss: Client) -> None:
    assert word_lists.load().synonyms == {}
    assert post(boss, "synonymgroup/add/", words="Hotpot, 火锅") == 302
    assert word_lists.load().synonyms == {"hotpot": ("火锅",), "火锅": ("hotpot",)}
    group = SynonymGroup.objects.get()
    assert post(boss, f"synonymgroup/{group.pk}/delete/", post="yes") == 302
    assert word_lists.load().synonyms == {}


def test_stop_words_and_blocked_words_are_edited(boss: Client) -> None:
    assert post(boss, "stopword/add/", word="Shop") == 302
    assert post(boss, "stopword/add/", word="the", is_searched="on") == 302
    assert post(boss, "blockedword/add/", word="Scam") == 302
    found = word_lists.load()
    assert [*found.stop_words, *found.kept_words, *found.blocked] == ["shop", "the", "scam"]


def test_the_same_word_in_other_letters_is_refused(boss: Client) -> None:
    post(boss, "blockedword/add/", word="scam")
    assert post(boss, "blockedword/add/", word="ＳＣＡＭ") == 200


def test_the_lists_are_shown(boss: Client) -> None:
    post(boss, "synonymgroup/add/", words="Hotpot, 火锅")
    for name in ("synonymgroup", "stopword", "blockedword"):
        assert boss.get(f"/admin/search/{name}/").status_code == 200
