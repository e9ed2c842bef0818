"""What a page is about, for choosing its ad: content words, and the places that it belongs to."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.ads import targeting
from apps.blog import access
from apps.shops.geo import location
from apps.shops.lists import query_params
from apps.shops.models import Shop

#: Runs of Chinese characters, and words of other scripts.
_WORD_PATTERN = re.compile(r"[\u3400-\u9fff]+|[^\W_]+(?:['’][^\W_]+)*")  # noqa: RUF001 - both apostrophes
_HAN_PATTERN = re.compile(r"[\u3400-\u9fff]")
#: Characters of a text that are read; a page has room for 16 words.
MAX_TEXT_LENGTH = 200


class Subject(NamedTuple):
    """`place_names` are the readable names of `locations`, in the reader's language."""

    words: list[str]
    locations: list[str]
    place_names: list[str]


def for_shop(shop_id: int) -> Subject:
    """What a shop's page is about; Http404 for a shop that is not listed."""
    return _about_shop(query_params.load_shop(shop_id))


def for_note(note_id: int) -> Subject:
    """What a published note is about: its title, and its shop; Http404 for others."""
    note = access.note(note_id, None)
    return _about_shop(note.shop, note.title)


def for_search(request: HttpRequest, text: str) -> Subject:
    """What somebody searches for in the city that they chose."""
    city = location.from_request(request).city
    # Ads name cities as the shops' columns do.
    locations = targeting.page_locations("" if city.is_everywhere else city.name_en or city.name_zh)
    names = [city.name, _("any city")]
    return Subject(targeting.normalize_words(split_words(text)), locations, names[-len(locations) :])


def _about_shop(shop: Shop, title: str = "") -> Subject:
    kind, city, area = shop.type, shop.city_en or shop.city_zh, shop.area_en or shop.area_zh
    texts = (title, kind.name_en, kind.name_zh, shop.name_en, shop.name_zh)
    words = [kind.slug, *(word for text in texts for word in split_words(text))]
    names = [shop.place, shop.city, _("any city")]
    locations = targeting.page_locations(city, area)
    return Subject(targeting.normalize_words(words), locations, names[-len(locations) :])


def split_words(text: str) -> Iterator[str]:
    """The words of a text, and each pair of neighbours; of Chinese text each pair of characters."""
    before = ""
    for word in _WORD_PATTERN.findall(text[:MAX_TEXT_LENGTH]):
        if _HAN_PATTERN.match(word):
            yield from (word[at : at + 2] for at in range(max(1, len(word) - 1)))
            before = ""
            continue
        yield word
        if before:
            yield f"{before} {word}"
        before = word
