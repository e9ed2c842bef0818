"""Every page fits its window, is accessible, in one language, and looks as kept: see page_walk.py.

Each page is visited in English and in Chinese. Both themes meet both languages and both widths: English is
light when narrow and dark when wide, Chinese the other way round.
"""

import pytest

from tests.browser import page_list
from tests.browser.page_walk import IS_WRITING, PageWalk, Visit

pytestmark = pytest.mark.browser


def check(walk: PageWalk, name: str, visit: Visit) -> None:
    # While looks are kept anew, only pages with one are visited.
    if page_list.PAGES[name].has_look or not IS_WRITING:
        assert walk.find_faults(name, visit) == []


@pytest.mark.parametrize("name", page_list.PAGES)
@pytest.mark.parametrize("visit", [Visit("en", "light"), Visit("zh", "dark")], ids=str)
def test_a_page_fits_complains_of_nothing_and_shuts_nobody_out(
    walk: PageWalk, name: str, visit: Visit
) -> None:
    check(walk, name, visit)


@pytest.mark.long
@pytest.mark.parametrize("name", page_list.PAGES)
@pytest.mark.parametrize("visit", [Visit("en", "dark"), Visit("zh", "light")], ids=str)
def test_it_does_in_the_other_theme(walk: PageWalk, name: str, visit: Visit) -> None:
    check(walk, name, visit)
