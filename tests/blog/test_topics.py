"""Topics of texts: what is one and what isn't, their links, their pages, and the way to them by search."""

import re
from urllib.parse import quote

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from apps.accounts import mentions
from apps.accounts.mentions import Link
from apps.accounts.models import User
from apps.blog import comments, topics
from apps.blog.models import MAX_TOPIC_LENGTH, Note, NoteTopic
from apps.blog.writing import notes
from apps.search.index import rebuilding
from tests.blog import authors, makers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#noodles", ["noodles"]),
        ("Good #Noodles, #NOODLES and #面条!", ["noodles", "面条"]),
        ("＃面条 ﹟Ｔｅａ #ｔｅａ", ["面条", "tea"]),
        ("#面条# 很好，#火锅#烧烤", ["面条", "火锅", "烧烤"]),
        ("##noodles", ["noodles"]),
        ("#caf\u00e9 #cafe\u0301", ["café"]),
        ("#noo\u200bdles #noodles\ufe0f", ["noodles"]),
        ("#चाय #ชาเย็น", ["चाय", "ชาเย็น"]),
        ("#STRASSE #straße", ["strasse"]),
        ("#hot_pot2", ["hot_pot2"]),
        ("#面条🍜 is soup", ["面条"]),
        ("C#major a#b it&#39;s http://x.y/#part x.y/#part www.x.y/a?b=#tea", []),
        ("#1 #2026 #_ # #\n#! #🍜 #️⃣ #\u0301x", []),
        ("#" + "a" * MAX_TOPIC_LENGTH, ["a" * MAX_TOPIC_LENGTH]),
        ("#" + "a" * (MAX_TOPIC_LENGTH + 1), []),
        ("#" + "ﷺ" * 2, []),
        ("", []),
    ],
)
def test_a_topic_is_a_sign_and_a_word(text: str, found: list[str]) -> None:
    assert topics.find(text) == found


def test_a_text_has_a_bounded_number_of_topics() -> None:
    assert len(topics.find(" ".join(f"#tea{number}" for number in range(100)))) == topics.MAX_TOPICS


@given(st.text(st.sampled_from("#＃aé面1_ @&/\u200b\u0301🍜\n"), max_size=40))
def test_what_a_text_names_is_a_topic_by_itself_too(text: str) -> None:
    spans = topics.find_spans(text)
    assert all(topics.clean(text[span.start : span.end]) == span.topic for span in spans)
    assert all(before.end <= after.start for before, after in zip(spans, spans[1:], strict=False))


def test_topics_and_people_are_links_and_the_rest_is_escaped() -> None:
    text = "<b> #面条 with @Bob #1 fan"
    html = mentions.render_text(text, [Link("Bob #1 fan", 7)], topics.link_spans(text))
    assert html == (
        f'&lt;b&gt; <a class="topic" href="/topics/{quote("面条")}/">#面条</a> with '
        '<a class="mention" href="/people/7/">@Bob #1 fan</a>'
    )


@pytest.mark.django_db
@pytest.mark.both_databases
def test_rows_follow_the_text_of_a_note(alice: User) -> None:
    note = notes.create(alice, makers.shop(), text="#tea #面条 #Tea", rating=4)
    assert set(NoteTopic.objects.values_list("topic", flat=True)) == {"tea", "面条"}
    notes.save(note, text="#面条 #soup")
    assert set(NoteTopic.objects.values_list("topic", flat=True)) == {"soup", "面条"}
    notes.save(note, title="Another title")
    assert NoteTopic.objects.count() == 2
    notes.erase(note)
    assert not NoteTopic.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_topic_has_a_page_of_its_published_notes(alice: User, client: Client) -> None:
    shop = makers.shop()
    content = {"text": "Slurp. #面条", "rating": 5}
    first, draft = (
        notes.create(alice, shop, publish=publish, title=f"Bowl {publish}", **content)  # type: ignore[arg-type]
        for publish in (True, False)
    )
    page = client.get("/topics/面条/").content.decode()
    assert first.get_absolute_url() in page
    assert draft.get_absolute_url() not in page
    assert client.get("/topics/＃面条/")["Location"] == f"/topics/{quote('面条')}/"
    assert (
        f'href="/topics/{quote("面条")}/">#面条</a>' in client.get(first.get_absolute_url()).content.decode()
    )
    notes.delete(first)
    assert "No note has #面条 yet" in client.get("/topics/面条/").content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_topic_of_a_comment_is_a_link(alice: User, client: Client) -> None:
    note = makers.note(alice)
    comments.add(note.pk, alice, "<i> as in #Noodles")
    page = client.get(note.get_absolute_url()).content.decode()
    assert '&lt;i&gt; as in <a class="topic" href="/topics/noodles/">#Noodles</a>' in page


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["1", "a b", "%ED%A0%80", "a" * 31, "a" * 5_000, "🍜", "%E2%80%8B", "#"])
def test_what_can_be_no_topic_has_no_page(client: Client, name: str) -> None:
    assert client.get(f"/topics/{name if '%' in name else quote(name)}/").status_code == 404


@pytest.mark.django_db
def test_pages_of_a_topic_go_on_and_refuse_a_bad_cursor(alice: User, client: Client) -> None:
    written = [makers.note(alice, text="#tea", title=f"Cup {number:02}", photos=0) for number in range(25)]
    topics.record_all(written)
    first = client.get("/topics/tea/").content.decode()
    assert "Cup 24" in first
    assert "Cup 04" not in first
    (rest,) = re.findall(r'href="(/topics/tea/\?cursor=[^"]+)"', first)
    assert "Cup 04" in client.get(rest, headers={"HX-Request": "true"}).content.decode()
    assert client.get("/topics/tea/?cursor=x").status_code == 422


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("query", ["面条", "#面条", "＃面条"])
def test_search_leads_to_a_topic(alice: User, client: Client, query: str) -> None:
    notes.create(alice, makers.shop(), publish=True, text="#面条", rating=5)
    rebuilding.rebuild()
    page = client.get("/search/", {"q": query}).content.decode()
    assert f'href="/topics/{quote("面条")}/"' in page
    assert "1 note" in page
    Note.objects.all().update(status=Note.Status.DRAFT)
    assert "/topics/" not in client.get("/search/", {"q": query}).content.decode()


@pytest.mark.django_db
def test_reporting_a_comment_leads_back_to_its_note(alice: User, bob: User) -> None:
    note = makers.note(alice)
    comment = comments.add(note.pk, alice, "Buy my watches")
    answer = authors.browser_client(bob).post(f"/report/comment/{comment.pk}/", {"reason": "spam"})
    assert answer["Location"] == f"{note.get_absolute_url()}#comment-{comment.pk}"
