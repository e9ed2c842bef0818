"""The notes about a shop: in which order and which of them, the share of stars, and links that choose."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db.models import Count, Exists, OuterRef, Q
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from apps.blog.display.note_rows import BOUGHT_HERE, PAGE_SIZE
from apps.blog.models import Dish, Note, NoteQuerySet, Photo
from apps.web import in_language, object_urls, paging

MAX_STARS = 5
#: Characters of a word that notes are filtered by.
MAX_WORD_LENGTH = 30


class NoteSort(StrEnum):
    """How a shop's notes may be ordered."""

    NEWEST = "newest"
    BEST = "best"
    WORST = "worst"
    HELPFUL = "helpful"


SORT_LABELS: dict[NoteSort, Promise] = {
    NoteSort.NEWEST: pgettext_lazy("notes", "Newest"),
    NoteSort.BEST: pgettext_lazy("notes", "Best"),
    NoteSort.WORST: pgettext_lazy("notes", "Worst"),
    NoteSort.HELPFUL: pgettext_lazy("notes", "Most liked"),
}
#: NoteSort -> the order, and the types of what it is ordered by; of notes alike the newest come first.
_ORDERS: dict[NoteSort, tuple[list[str], list[type[paging.SortValue]]]] = {
    NoteSort.NEWEST: (["-published_at", "-id"], [str, int]),
    NoteSort.BEST: (["-rating", "-published_at", "-id"], [int, str, int]),
    NoteSort.WORST: (["rating", "-published_at", "-id"], [int, str, int]),
    NoteSort.HELPFUL: (["-likes", "-published_at", "-id"], [int, str, int]),
}
#: Language -> what its filter is called.
LANGUAGE_LABELS = {
    in_language.ENGLISH: gettext_lazy("In English"),
    in_language.CHINESE: gettext_lazy("In Chinese"),
}


@dataclass(frozen=True)
class Choice:
    """Which of a shop's notes, and in what order: the parameters of the page and of the API."""

    sort: NoteSort = NoteSort.NEWEST
    stars: int | None = None
    pictures: bool = False
    #: in_language.ENGLISH or CHINESE: what title and text are written in.
    language: str | None = None
    bought: bool = False
    dish: int | None = None
    #: What title or text say: a word of letters and digits; a Chinese one also within another.
    word: str = ""

    @property
    def has_filters(self) -> bool:
        """Whether it leaves notes out, but for those that don't recommend its dish."""
        return replace(self, sort=NoteSort.NEWEST, dish=None) != Choice()

    def url(self, shop_id: int) -> str:
        """The address of its list; what isn't chosen isn't in it."""
        flags = {"pictures": self.pictures, "bought": self.bought}
        values = {"stars": self.stars, "language": self.language, "dish": self.dish, "word": self.word}
        sort = {} if self.sort == NoteSort.NEWEST else {"sort": self.sort.value}
        query = sort | {name: value for name, value in values.items() if value}
        query |= {name: 1 for name, is_on in flags.items() if is_on}
        address = object_urls.build("blog:shop_notes", shop_id)
        return f"{address}?{urlencode(query)}" if query else address


def read_choice(given: QueryDict, dish: Dish | None) -> Choice:
    """The choice of a page's parameters; a value that there is not counts as none."""
    sort, language, word = (given.get(name, "") for name in ("sort", "language", "word"))
    return Choice(
        sort=NoteSort(sort) if sort in set(NoteSort) else NoteSort.NEWEST,
        stars=read_stars(given),
        pictures=given.get("pictures") == "1",
        language=language if language in LANGUAGE_LABELS else None,
        bought=given.get("bought") == "1",
        dish=dish.pk if dish else None,
        word=word if len(word) <= MAX_WORD_LENGTH and word.isalnum() else "",
    )


def read_stars(given: QueryDict) -> int | None:
    """The stars of 1 to 5 that a page's parameter names."""
    stars = given.get("stars", "")
    return int(stars) if stars in {str(n) for n in range(1, MAX_STARS + 1)} else None


def load_page(
    shop_id: int, choice: Choice, *, cursor: str | None = None, size: int = PAGE_SIZE
) -> paging.Page[Note]:
    """Return a page of the chosen of a shop's published notes; BadCursor."""
    order, types = _ORDERS[choice.sort]
    rows = _narrow(Note.objects.published().filter(shop=shop_id), choice)
    columns = [name.lstrip("-") for name in order]
    return paging.fetch_page(rows.only(*columns), order=order, types=types, cursor=cursor, size=size)


def _narrow(rows: NoteQuerySet, choice: Choice) -> NoteQuerySet:
    if choice.stars:
        rows = rows.filter(rating=choice.stars)
    elif choice.sort in {NoteSort.BEST, NoteSort.WORST}:
        rows = rows.exclude(rating=None)
    if choice.pictures:
        rows = rows.filter(Exists(Photo.objects.filter(note=OuterRef("pk"))))
    if choice.language:
        has_chinese = Q(title__regex=in_language.HAN) | Q(text__regex=in_language.HAN)
        rows = rows.filter(has_chinese if choice.language == in_language.CHINESE else ~has_chinese)
    if choice.bought:
        rows = rows.filter(BOUGHT_HERE)
    if choice.word:
        pattern = word_pattern(choice.word).pattern
        rows = rows.filter(Q(title__iregex=pattern) | Q(text__iregex=pattern))
    return rows if choice.dish is None else rows.filter(dishes=choice.dish)


def word_pattern(word: str) -> re.Pattern[str]:
    """What finds a word of letters and digits in a text, in Python and in databases, which read it alike."""
    if re.search(in_language.HAN, word):
        return re.compile(word, re.IGNORECASE)
    return re.compile(f"(^|\\W){word}(\\W|$)", re.IGNORECASE)


class Bar(NamedTuple):
    """How many of the notes gave so many stars, and in per cent; `url` lists them, or all again."""

    stars: int
    notes: int
    share: int
    url: str
    is_chosen: bool


class Link(NamedTuple):
    """An order, or a filter: `url` lists the notes with it, or without it where it is chosen."""

    label: str
    url: str
    is_chosen: bool


def build_controls(shop_id: int, choice: Choice) -> dict[str, Any]:
    """What stands above a list of notes: bars, sorts, filters; `all_url` is without filters. One query."""
    counts = _count_stars(shop_id)
    total = sum(counts.values())
    bars = [
        Bar(stars, count, round(100 * count / total) if total else 0, *toggle(shop_id, choice, stars=stars))
        for stars, count in counts.items()
    ]
    sorts = [
        Link(str(label), replace(choice, sort=sort).url(shop_id), sort == choice.sort)
        for sort, label in SORT_LABELS.items()
    ]
    own = in_language.CHINESE if in_language.is_chinese() else in_language.ENGLISH
    language = choice.language or own
    filters = [
        Link(_("With pictures"), *toggle(shop_id, choice, pictures=True)),
        Link(_("Bought here"), *toggle(shop_id, choice, bought=True)),
        Link(str(LANGUAGE_LABELS[language]), *toggle(shop_id, choice, language=language)),
    ]
    return {
        **{"bars": bars, "sorts": sorts, "filters": filters, "total": total},
        **{
            "choice": choice,
            "has_filters": choice.has_filters,
            "all_url": Choice(dish=choice.dish).url(shop_id),
        },
    }


def toggle(shop_id: int, choice: Choice, **filtered: Any) -> tuple[str, bool]:
    """The address of a shop's list with a filter, or without it where it is on; and whether it is."""
    is_on = all(getattr(choice, name) == value for name, value in filtered.items())
    without = {name: Choice.__dataclass_fields__[name].default for name in filtered}
    return replace(choice, **(without if is_on else filtered)).url(shop_id), is_on


def _count_stars(shop_id: int) -> dict[int, int]:
    """How many published notes gave a shop 5, 4, 3, 2 and 1 stars; one query."""
    rows = Note.objects.published().filter(shop=shop_id).order_by().values("rating")
    counts = dict(rows.annotate(count=Count("pk")).values_list("rating", "count"))
    return {stars: counts.get(stars, 0) for stars in range(MAX_STARS, 0, -1)}
