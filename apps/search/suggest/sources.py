"""What is suggested: the names of shops and of people, as the index and the lists need them."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, Protocol

from django.db.models import F, Q, QuerySet

from apps.accounts import city_names
from apps.accounts.models import User
from apps.follows.models import Standing
from apps.redis_kit.autocomplete.name_index import Name
from apps.redis_kit.autocomplete.spelling import PART_MARK, escape, fold, mark_parts
from apps.shops import areas
from apps.shops.models import Shop, format_place
from apps.web import characters, in_language, object_urls, readings
from apps.web.compiled_queries import CompiledQuery

#: Signs that people leave out as they type: of "7-Eleven", "Chen's", "B&B".
_SIGNS_WITHIN_WORDS = re.compile(r"(?<=[^\W_])['’\-\u2010-\u2015.&·_]+(?=[^\W_])")

SHOPS, PEOPLE, CONTACTS, WORDS = "shops", "people", "contacts", "words"


@dataclass(frozen=True)
class Suggestion:
    """One line of a list: `detail` tells those of one name apart; a word has no id."""

    kind: str
    name: str
    id: int | None = None
    detail: str = ""
    url: str = ""


@dataclass(frozen=True)
class Candidate:
    """A suggestion that everybody may see, with all the names that it is found by; `at`: where a shop is."""

    suggestion: Suggestion
    names: tuple[str, ...]
    popularity: int
    at: areas.Point | None = None


class Source(Protocol):
    """One kind of names."""

    kind: str

    def rows(self) -> "QuerySet[Any]":
        """Every row, also those that are not shown."""

    def names(self, ids: Collection[int]) -> list[Name]:
        """The names of each id for the index; none for a thing that may not be found."""

    def load(self, ids: Collection[int]) -> dict[int, Candidate]:
        """The given ids that everybody may see, in the active language; one query."""

    def ids_from_sql(self, typed: str, limit: int) -> list[int]:
        """Ids whose name contains what was typed, for when Redis is away; the popular first."""


# Compiled: they run at each key stroke.
@CompiledQuery
def _query_shops(ids: list[int]) -> "QuerySet[Shop, tuple[Any, ...]]":
    listed = Shop.objects.open_to_public().filter(pk__in=ids)
    texts = in_language.columns("name", "area", "city")
    return listed.values_list("pk", "lat", "lng", "popularity", *texts)


@CompiledQuery
def _query_people(ids: list[int]) -> "QuerySet[User, tuple[int, str, str]]":
    return User.objects.listed().filter(pk__in=ids).values_list("pk", "nickname", "city")


@CompiledQuery
def _query_followers(ids: list[int]) -> "QuerySet[Standing, tuple[int, int]]":
    counted = Standing.objects.filter(user__in=ids, followers__gt=0)
    return counted.values_list(F("user_id"), "followers")


class ShopNames:
    """Listed shops by both names and by pinyin."""

    kind = SHOPS

    def rows(self) -> "QuerySet[Shop]":
        return Shop.objects.all()

    def names(self, ids: Collection[int]) -> list[Name]:
        listed = Shop.objects.open_to_public().filter(pk__in=ids)
        rows = listed.values_list("pk", "popularity", "name_en", "name_zh")
        return complete_names(ids, ((pk, popularity, names) for pk, popularity, *names in rows))

    def load(self, ids: Collection[int]) -> dict[int, Candidate]:
        return {row[0]: self._candidate(*row) for row in _query_shops(list(ids))}

    def ids_from_sql(self, typed: str, limit: int) -> list[int]:
        forms = characters.spellings(typed)
        contains = (Q(name_en__icontains=form) | Q(name_zh__icontains=form) for form in forms)
        shops = Shop.objects.open_to_public().filter(reduce(or_, contains)).order_by("-popularity", "-pk")
        return list(shops.values_list("pk", flat=True)[:limit])

    def _candidate(self, pk: int, lat: float, lng: float, popularity: int, *texts: str) -> Candidate:
        names, area, city = texts[:2], *map(in_language.choose, texts[2::2], texts[3::2])
        url = object_urls.build("shops:detail", pk)
        line = Suggestion(SHOPS, in_language.choose(*names), pk, detail=format_place(area, city), url=url)
        return Candidate(line, names, popularity, areas.Point(lat, lng))


class PeopleNames:
    """Listed people by nickname and by pinyin; those with many followers are popular."""

    kind = PEOPLE

    def rows(self) -> "QuerySet[User]":
        return User.objects.all()

    def names(self, ids: Collection[int]) -> list[Name]:
        rows = User.objects.listed().filter(pk__in=ids).values_list("pk", "nickname")
        followers = _count_followers(ids)
        return complete_names(ids, ((pk, followers.get(pk, 0), [name]) for pk, name in rows))

    def load(self, ids: Collection[int]) -> dict[int, Candidate]:
        rows, followers = _query_people(list(ids)), _count_followers(ids)
        return {pk: self._candidate(pk, name, city, followers.get(pk, 0)) for pk, name, city in rows}

    def ids_from_sql(self, typed: str, limit: int) -> list[int]:
        named = reduce(or_, (Q(nickname__icontains=form) for form in characters.spellings(typed)))
        people = User.objects.listed().filter(named)
        return list(people.order_by("pk").values_list("pk", flat=True)[:limit])

    def _candidate(self, user_id: int, nickname: str, city: str, followers: int) -> Candidate:
        url = object_urls.build("accounts:person", user_id)
        line = Suggestion(PEOPLE, nickname, user_id, detail=city_names.localize(city), url=url)
        return Candidate(line, (nickname,), followers)


SOURCES: dict[str, Source] = {SHOPS: ShopNames(), PEOPLE: PeopleNames()}


def complete_names(ids: Collection[int], rows: Iterable[tuple[int, int, list[str]]]) -> list[Name]:
    """A Name for each id: of the rows (id, popularity, names), and without spellings for the others."""
    found = {
        pk: Name(pk, list(filter(None, names)), popularity, aliases(names)) for pk, popularity, names in rows
    }
    return [found.get(one) or Name(one, []) for one in ids]


def aliases(names: Iterable[str]) -> list[str]:
    """Chinese names in pinyin, each syllable a part, and by their first letters: 海底捞 as hdl.

    What is read with an ü has it as v and as u: 绿茶 is lvcha and lucha. Names with signs within words are
    known without them: 7-Eleven as 7eleven.
    """
    names = list(names)
    folded = [fold(name) for name in names]
    plain = [_SIGNS_WITHIN_WORDS.sub("", name) for name in folded]
    spellings = [mark_parts(one) for one, name in zip(plain, folded, strict=True) if one != name]
    for way in (way for name in filter(readings.has_chinese, names) for way in readings.ways(name)):
        read = [fold(syllable).replace(" ", "") for syllable in way]
        parts = [escape(part) for part in read if part]
        initials = "".join(part[0] for part in parts)
        with_u = [readings.write_umlauts_as_u(part) for part in parts]
        spellings += [PART_MARK.join(parts), *([PART_MARK.join(with_u)] if with_u != parts else []), initials]
    return list(dict.fromkeys(spellings))


def _count_followers(ids: Collection[int]) -> dict[int, int]:
    return dict(_query_followers(list(ids)))
