import pytest
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from apps.search.pages import parameters
from apps.search.pages.parameters import Choices
from apps.web.problems import Problem


def parse(address: str) -> Choices:
    return parameters.parse(RequestFactory().get(address))


def test_an_address_says_every_choice_and_comes_back_the_same() -> None:
    address = (
        "/search/?q=hot+pot&kind=shops&sort=mix&mix=80&type=food&type=bar&area=West_Lake&price=2"
        "&voucher=1&open=1&km=3&exact=1"
    )
    found = parse(address)
    assert found.filters["type"] == ("food", "bar")
    assert (found.mix, found.is_open, found.within_km, found.filter_count) == (80, True, 3, 7)
    assert parse(found.address) == found


def test_what_is_as_usual_is_left_out() -> None:
    assert parse("/search/?q=&kind=&sort=relevance&km=&mix=50").address == "/search/"
    assert parse("/search/?q=a&cursor=x").url(kind="notes") == "/search/?q=a&kind=notes"
    assert (
        parse("/search/?q=a&kind=shops&open=1&km=1&type=bar").without_filters() == "/search/?q=a&kind=shops"
    )


@pytest.mark.parametrize("query", ["km=0", "km=-1", "km=1e9", "km=٣", "mix=101", "mix=x", "km=" + "9" * 50])
def test_a_wrong_number_is_refused(query: str) -> None:
    with pytest.raises(Problem) as refused:
        parse(f"/search/?q=a&{query}")
    assert refused.value.status == 422


def test_too_many_choices_are_refused() -> None:
    many = "&".join(f"area={number}" for number in range(21))
    with pytest.raises(Problem):
        parse(f"/search/?{many}")


@given(st.text())
def test_any_text_is_cut_and_made_storable(text: str) -> None:
    found = parameters.parse_text(text)
    assert len(found) <= parameters.MAX_TEXT_LENGTH
    assert "\x00" not in found
    assert found == parameters.parse_text(found)
