"""The pages of search as a browser without scripts reads them."""

import re
from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.search.index import rebuilding
from apps.search.suggest import indexing
from apps.search.words import search_counts
from tests.blog import makers
from tests.coupons import buyers
from tests.search.words.makers import searched

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def city(alice: User) -> None:
    """Two noodle shops, a hot pot shop and two notes, in an index."""
    noodles = makers.shop("Lakeside Noodle House", name_zh="湖畔面馆", price=3_000)
    makers.shop("Third Floor Hot Pot", name_zh="三楼火锅", price=12_000, type="bar")
    makers.shop("Café Noodle", name_zh="面条咖啡", price=8_000, about_en="<b>Noodle</b> & more")
    makers.note(alice, shop=noodles, title="A noodle for a bad week", likes=3)
    makers.note(alice, shop=noodles, title="Broth", text="Nothing like it. The noodles were pulled by hand.")
    rebuilding.rebuild()


def text(answer: Any) -> str:
    return str(answer.content.decode())


def read(path: str, client: Client | None = None, headers: dict[str, str] | None = None) -> str:
    answer = (client or Client()).get(path, headers=headers)
    assert answer.status_code == 200, text(answer)
    return text(answer)


@pytest.mark.both_databases
def test_without_an_index_the_choice_of_shops_asks_sql_without_a_traceback(
    alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    makers.shop("Zest of the Lake")
    assert "Zest of the Lake" in read("/notes/new/?q=zest", buyers.browser_client(alice))
    assert not [record for record in caplog.records if record.exc_info]


def test_every_page_has_one_box_and_home_has_it_large(city: None) -> None:
    fields = {"/": "home-search", "/search/": "search-field"}
    for path in ("/", "/shops/", "/notes/", "/sales/", "/login/", "/search/"):
        names = re.findall(r'id="([a-z-]+)"\s+type="search"\s+name="q"', read(path))
        assert names == [fields.get(path, "header-search")], path


def test_all_kinds_stand_in_groups_with_their_numbers(city: None) -> None:
    page = read("/search/?q=noodle")
    assert page.index("group-shops") < page.index("group-notes")
    assert "4 results" in page
    assert "<mark>Noodle</mark> House" in page


def test_a_kind_has_filters_with_counts_and_keeps_them_in_its_links(city: None) -> None:
    page = read("/search/?q=noodle&kind=shops&type=food&sort=price")
    assert page.index("Lakeside") < page.index("Café")
    assert re.search(r'value="food"\s+checked', page)
    assert "/search/?q=noodle&amp;kind=notes" in page


def test_a_snippet_is_marked_and_harmless(city: None) -> None:
    page = read("/search/?q=noodle&kind=shops")
    assert "&lt;b&gt;<mark>Noodle</mark>&lt;/b&gt; &amp; more" in page
    assert "<script>alert" not in read("/search/?q=<script>alert(1)</script>")


def test_chinese_finds_by_a_part_of_a_name(city: None) -> None:
    page = read("/search/?q=三楼&kind=shops", headers={"Accept-Language": "zh-hans"})
    assert "<mark>三楼</mark>火锅" in page


def test_more_hits_come_by_cursor_and_none_twice(city: None, alice: User) -> None:
    for number in range(25):
        makers.shop(f"Dumpling Stall {number}")
    rebuilding.rebuild()
    page, titles = read("/search/?q=dumpling&kind=shops"), []
    while True:
        titles += [part.split("/")[0] for part in page.split('href="/shops/')[1:] if part[0].isdigit()]
        if "Show more" not in page:
            break
        link = page.split('class="btn btn--quiet"\n      href="')[1].split('"')[0].replace("&amp;", "&")
        page = read(link, headers=HTMX)
        assert "<html" not in page
    assert len(titles) == len(set(titles)) == 25


def test_a_typo_is_repaired_and_the_typed_words_are_one_press_away(city: None) -> None:
    page = read("/search/?q=nodle&kind=shops")
    assert "<strong>noodle</strong>" in page
    assert "/search/?q=nodle&amp;kind=shops&amp;exact=1" in page
    assert "0 results" in read("/search/?q=nodle&kind=shops&exact=1")


def test_dropped_words_are_said(city: None) -> None:
    assert "searched without <s>" in read("/search/?q=hot+noodle+pot&kind=shops")


def test_nothing_found_has_ways_on(city: None) -> None:
    searched("hot pot", people=5)
    page = read("/search/?q=zzzzzz")
    for words in ("Nothing found", "Popular shops", "Hot notes", "Trending searches"):
        assert words in page
    assert "Remove the filters" in read("/search/?q=noodle&kind=shops&type=ktv")


def test_nothing_found_offers_names_that_are_near(city: None, alice: User) -> None:
    makers.shop("Haidilao Hotpot", name_zh="海底捞火锅", area_en="Wulin")
    rebuilding.rebuild()
    indexing.rebuild(lambda _done, _total: None)
    me = buyers.browser_client(alice)
    page = read("/search/?q=hdl", me)
    assert "Did you mean" in page
    assert re.search(r'class="chip" href="/shops/\d+/"', page)
    # What was just typed is no way on, and no tab leads anywhere.
    assert "Remove <span >hdl" not in page
    assert 'class="tabs"' not in page
    assert "Did you mean" not in read("/search/?q=zzzzzz", me)


def test_a_street_stands_apart_and_is_marked(city: None) -> None:
    makers.shop("Corner Shop", about_en="Small and loud.", address_en="8 Wener Road")
    rebuilding.rebuild()
    page = " ".join(read("/search/?q=wener&kind=shops").split())
    assert '<p class="hit__snippet" >Small and loud.</p>' in page
    assert '<p class="hit__address" >8 <mark>Wener</mark> Road</p>' in page


def test_a_search_is_remembered_counted_and_removed(city: None, alice: User) -> None:
    me = buyers.browser_client(alice)
    read("/search/?q=noodle", me)
    read("/search/?q=hot+pot", me)
    page = read("/search/", me)
    assert page.index("hot pot") < page.index("Remove <span >noodle")
    assert "noodle" not in text(me.post("/search/forget/", {"q": "noodle"}, headers=HTMX))
    assert me.post("/search/forget/")["Location"] == "/search/"
    assert "Remove <span" not in read("/search/", me)
    assert search_counts.missed() == []


@pytest.mark.both_databases
def test_two_people_see_their_own_recent_searches(city: None, alice: User, bob: User) -> None:
    read("/search/?q=noodle", buyers.browser_client(alice))
    assert "Remove <span >noodle" not in read("/search/", buyers.browser_client(bob))


def test_scripts_get_the_answer_alone_with_a_shareable_address(city: None) -> None:
    answer = Client().get("/search/?q=noodle&kind=shops&sort=rating&km=", headers=HTMX)
    assert answer["HX-Push-Url"] == "/search/?q=noodle&kind=shops&sort=rating"
    assert "<html" not in text(answer)
    whole = Client().get("/search/?q=noodle", headers=HTMX | {"HX-History-Restore-Request": "true"})
    assert "<html" in text(whole)


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("kind=robots", 422),
        ("q=a&kind=shops&sort=colour", 422),
        ("q=a&kind=shops&cursor=forged", 422),
        ("q=a&kind=shops&area=%7B%7D&type=+&price=99999999999999999999", 200),
        ("q=%00", 400),
        ("q=%ff%20%EF%BF%BF", 200),
        ("q=" + "长" * 3_000, 200),
        ("q=%22+-+%2B+%2B%2B+(", 200),
    ],
)
def test_bad_input_is_a_clear_answer(city: None, query: str, status: int) -> None:
    assert Client().get(f"/search/?{query}").status_code == status


def test_a_new_site_says_that_nothing_is_found() -> None:
    for query in ("q=noodle", "q=noodle&kind=notes&sort=newest", "kind=shops", "q=noodle&open=1&type=food"):
        answer = Client().get(f"/search/?{query}")
        assert (answer.status_code, answer.context["found"].hit_count) == (200, 0)
        assert "Nothing" in answer.content.decode()


@pytest.mark.usefixtures("city", "redis_away")
def test_without_redis_search_says_so_and_the_start_page_still_helps() -> None:
    assert Client().get("/search/?q=noodle").status_code == 503
    assert "Popular shops" in read("/search/")


def test_the_old_address_of_shops_leads_to_search() -> None:
    answer = Client().get("/shops/?q=三楼&type=food&city=hangzhou")
    assert (answer.status_code, answer["Location"]) == (
        301,
        "/search/?q=%E4%B8%89%E6%A5%BC&kind=shops&type=food",
    )


@pytest.mark.parametrize("typed", ["noodle", "湖畔", "nodle"])
def test_the_composer_finds_shops_as_the_search_does(city: None, alice: User, typed: str) -> None:
    assert "Lakeside Noodle House" in read(f"/notes/new/?q={typed}", buyers.browser_client(alice))


@pytest.mark.both_databases
def test_the_composer_still_finds_names_without_an_index(alice: User) -> None:
    makers.shop("Third Floor Hot Pot", name_zh="三楼火锅")
    assert "Third Floor Hot Pot" in read("/notes/new/?q=三楼", buyers.browser_client(alice))
