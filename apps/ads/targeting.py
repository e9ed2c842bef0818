"""Names of what an ad is aimed at: places and words, written the same way by ads and by pages."""

import re
from collections.abc import Iterable

from apps.web import characters

#: Where every page is.
EVERYWHERE = "everywhere"
MAX_WORD_LENGTH = 40
#: Words of a page that are compared with an ad's; the page gives the most telling ones first.
MAX_PAGE_WORDS = 16
MAX_AD_WORDS = 20

_NOT_IN_A_KEY = re.compile(r"[\s{}\x00-\x1f/]+")


def normalize_word(word: str) -> str:
    """A word as ads and pages compare it: NFKC, lower case, one space between parts; "" for an empty one."""
    return characters.fold(word.replace("\x00", " "))[:MAX_WORD_LENGTH].strip()


def normalize_words(words: Iterable[str], *, limit: int = MAX_PAGE_WORDS) -> list[str]:
    """The first `limit` different words, normalised."""
    return list(dict.fromkeys(filter(None, map(normalize_word, words))))[:limit]


def location_key(city: str = "", area: str = "") -> str:
    """The name of a place: "everywhere", "city:shanghai" or "area:shanghai/jing-an"; safe in a Redis key."""
    where = _key_part(city)
    if not where:
        return EVERYWHERE
    within = _key_part(area)
    return f"area:{where}/{within}" if within else f"city:{where}"


def page_locations(city: str = "", area: str = "") -> list[str]:
    """The places that a page about this city and area belongs to, the narrowest first."""
    return list(dict.fromkeys([location_key(city, area), location_key(city), EVERYWHERE]))


def _key_part(text: str) -> str:
    return _NOT_IN_A_KEY.sub("-", characters.fold(text))[:80]
