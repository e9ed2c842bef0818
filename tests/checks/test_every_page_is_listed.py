"""A new page is looked at in Chromium, or it is said why not."""

from tests.browser import page_list


def test_every_page_is_in_a_list() -> None:
    known = page_list.listed_names() | set(page_list.ELSEWHERE) | page_list.NO_PAGES
    assert page_list.site_names() - known == set(), "put it into tests/browser/page_list.py"


def test_no_list_names_what_is_gone() -> None:
    named = set(page_list.ELSEWHERE) | page_list.NO_PAGES
    assert named - page_list.site_names() == set()
