"""Whom a text mentions: by id, told once, and nobody apart from the author."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.accounts import mentions
from apps.accounts.models import Mention, User
from apps.accounts.relations import blocks, contacts
from apps.accounts.templatetags.mentions import mention_links
from apps.mailbox.models import Notification
from apps.web.characters import fold
from tests.factories import UserFactory
from tests.races import Race

pytestmark = pytest.mark.django_db

names = st.text(st.sampled_from("Ab 小李@.\n"), min_size=1, max_size=6)


def record(author: User, text: str, **rest: Any) -> str:
    mentions.record("note", 5, author_id=author.pk, text=text, **rest)
    return mentions.render_text(text, mentions.load_links("note", {5: text}).get(5, ()))


def told() -> list[int]:
    return sorted(Notification.objects.filter(kind="mention").values_list("recipient_id", flat=True))


def test_a_renamed_person_stays_linked(alice: User, bob: User) -> None:
    assert (
        record(alice, "hi @Bob <b>") == f'hi <a class="mention" href="/people/{bob.pk}/">@Bob</a> &lt;b&gt;'
    )
    User.objects.filter(pk=bob.pk).update(nickname="Robert")
    assert record(alice, "hello @Bob") == f'hello <a class="mention" href="/people/{bob.pk}/">@Bob</a>'


@pytest.mark.both_databases
def test_a_text_tells_each_person_once(alice: User, bob: User, charlie: User) -> None:
    record(alice, "@Bob", notify=False)
    assert told() == []
    for text in ("@Bob", "@Bob again", "nobody", "@Bob @Charlie @Alice"):
        record(alice, text)
    assert told() == [bob.pk, charlie.pk]
    assert "href" not in record(alice, "nobody")


@pytest.mark.both_databases
def test_the_picked_one_of_two_of_one_name_is_meant(alice: User, bob: User) -> None:
    other = UserFactory.create(nickname="Bob")
    assert "href" not in record(alice, "@Bob")
    assert f"/people/{other.pk}/" in record(alice, "@Bob", picked=[other.pk, 999, 0])
    assert f"/people/{bob.pk}/" in record(alice, "@Bob", picked=[bob.pk])
    Mention.objects.all().delete()
    contacts.touch(alice.pk, other.pk)
    assert f"/people/{other.pk}/" in record(alice, "@Bob")


def test_nobody_apart_by_a_block_or_unable_to_read_is_linked_or_told(
    alice: User, bob: User, charlie: User
) -> None:
    blocks.block(bob.pk, alice.pk)
    assert "href" not in record(alice, "@Bob", picked=[bob.pk])
    assert "href" not in record(alice, "@Charlie", reader_ids=[alice.pk])
    assert told() == []


def test_a_disabled_person_is_no_link(alice: User, bob: User) -> None:
    record(alice, "@Bob")
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert mentions.load_links("note", {5: "@Bob"}) == {}


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_ten_saves_at_once_tell_once(alice: User, bob: User, race: Race) -> None:
    record(alice, "@Bob", notify=False)
    race(10, lambda _number: record(alice, "@Bob"))
    assert told() == [bob.pk]
    assert contacts.recent(alice.pk) == [bob.pk]


def test_texts_without_an_at_sign_cost_no_query(alice: User, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert mentions.load_links("note", {1: "a", 2: "b"}) == {}
    with django_assert_num_queries(1):
        mentions.load_links("note", dict.fromkeys(range(20), "@Bob"))


def test_a_text_without_mentions_is_escaped() -> None:
    assert mention_links("a <script> @x", []) == "a &lt;script&gt; @x"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@Bob", ["Bob"]),
        ("hi @Bob, and @Bob Li!", ["Bob", "Bob Li"]),
        ("@Bobby", []),
        ("@小李你好", ["小李"]),
        ("mail bob@Bob.org", []),
        ("http://x.y/@Bob", []),
        ("HTTPS://x.y/a?to=@Bob&or=#@Bob", []),
        ("see x.y/@Bob and @Bob", ["Bob"]),
        ("@ Bob @Bo", []),
        ("@bob", ["Bob"]),
        ("@ＢＯＢ　Ｌｉ!", ["Bob Li"]),  # noqa: RUF001
        ("@Zoe\u0308, @zOË", ["Zoë", "Zoë"]),
        ("(@{x}) @Zoë", ["{x}", "Zoë"]),
        ("@Bob" * 2, ["Bob"]),
        ("", []),
    ],
)
def test_names_stand_after_an_at_sign(text: str, found: list[str]) -> None:
    known = {"Bob", "Bob Li", "小李", "{x}", "Zoë", ""}
    spans = mentions.find_spans(text, known)
    assert [span.name for span in spans] == found
    assert all(fold(text[span.start : span.end]) == fold(f"@{span.name}") for span in spans)


@given(names, names, names)
def test_a_name_that_is_found_was_possible(before: str, name: str, after: str) -> None:
    text = f"{before} @{name}{after}"
    for span in mentions.find_spans(text, [name]):
        if name == name.strip() and "\n" not in name:
            assert span.name in mentions.possible_names(text)


def test_case_tells_two_people_apart_who_differ_by_nothing_else() -> None:
    spans = mentions.find_spans("@bob @Bob @BOB", {"bob", "Bob"})
    assert [span.name for span in spans] == ["bob", "Bob"]


def test_a_text_links_twenty_people_at_most() -> None:
    people = {f"n{number}": number for number in range(30)}
    text = " ".join(f"@{name}." for name in people)
    assert list(mentions.link_names(text, people)) == list(range(20))
