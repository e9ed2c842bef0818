"""Counts what is searched for: how many different people a week, with and without hits, and slow searches.

A week's count knows a person only by a digest that means nothing in another week. Texts with a long number or
an address in them may be personal and are not counted.
"""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import IntEnum
from functools import partial

import redis
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from apps.redis_kit import limiter, scripts, transport
from apps.redis_kit.limiter import Limit
from apps.search import keys
from apps.search.models import MAX_WORD_LENGTH, normalize
from apps.search.words import word_lists
from apps.shops.models import City
from apps.uv import stats_calls
from apps.web import client_address, in_language, readings

#: Different people who must have searched for a word before everybody may read it, or staff may.
MIN_TRENDING_PEOPLE, MIN_MISSED_PEOPLE = 5, 2
MAX_TRENDING = 10
#: Trending words of the reader's script, with so few of which those of the other fill up.
MIN_OWN_TRENDING = 6
MAX_ROWS = 100
#: What a week holds: about 15 MB when somebody fills it on purpose.
MAX_SEARCHERS, MAX_WORDS = 100_000, 10_000
SLOW_MILLISECONDS = 100
#: A person reads results; a script that searches this often must not make trends.
COUNTED_PER_HOUR = Limit(name="hour", family="search_count", allowed=60, period=timedelta(hours=1))
_PRIVATE_PATTERN = re.compile(r"@|\d[\d\s-]{4,}\d")
#: Trending reads more words than it shows, since some are blocked.
_OVERFETCH_FACTOR = 3


class CountOutcome(IntEnum):
    """What count_search.lua did."""

    BROKEN = -2
    FULL = -1
    KNOWN = 0
    COUNTED = 1


@dataclass(frozen=True)
class CountedWord:
    """A text that people searched for, and how many different people did in a week."""

    text: str
    people: int


@dataclass(frozen=True)
class SlowSearch:
    """What a slow search asked for, without its text; the most milliseconds that it took."""

    shape: str
    milliseconds: int
    times: int


COUNT_SEARCH = scripts.Script("count_search", package="apps.search.words", reply=CountOutcome)


def count(request: HttpRequest, text: str, *, hits: int, city: City) -> None:
    """Count that a person searched for a text in a city; nothing happens while Redis is away."""
    count_for(_person(request), text, hits=hits, city=city)


def count_for(person: str, text: str, *, hits: int, city: City) -> None:
    """Count a search of a person as `name_person` names one."""
    word = normalize(text)
    if word and len(word) <= MAX_WORD_LENGTH and not _PRIVATE_PATTERN.search(word):
        stats_calls.call(partial(_count_word, person, word, hits > 0, city), default=None)


def name_person(user_id: int) -> str:
    """The key by which a logged-in person is counted once."""
    return f"u{user_id}"


def count_slow(shape: str, milliseconds: float) -> None:
    """Note a search that took longer than SLOW_MILLISECONDS; faster ones cost nothing."""
    if milliseconds > SLOW_MILLISECONDS:
        stats_calls.call(partial(_note_slow, shape, int(milliseconds)), default=None)


def trending(city: City | None = None) -> list[str]:
    """The texts that most people searched for this week and found something by; the last week fills up.

    Of the people who looked at a city, or of all where too few did.
    """
    return _list_trending(city)[:MAX_TRENDING]


def trending_for_reader(city: City | None = None) -> list[str]:
    """The trending texts in the script of the active language; where these are few, others after them."""
    found = _list_trending(city)
    own = [text for text in found if readings.has_chinese(text) == in_language.is_chinese()]
    others = [text for text in found if text not in own]
    return [*own[:MAX_TRENDING], *others[: max(0, MIN_OWN_TRENDING - len(own))]]


def _list_trending(city: City | None) -> list[str]:
    found: list[CountedWord] = []
    if city and not city.is_everywhere:
        found = _list_words(partial(keys.SEARCHED_IN, city=city.slug), MIN_TRENDING_PEOPLE)
    found = found or _list_words(keys.SEARCHED, MIN_TRENDING_PEOPLE)
    if not found:
        return []
    lists = word_lists.load()
    return [one.text for one in found if not lists.is_blocked(one.text)]


def missed() -> list[CountedWord]:
    """The texts that found nothing, those of most people first, of this week and the last; for staff."""
    return _list_words(keys.MISSED, MIN_MISSED_PEOPLE)[:MAX_ROWS]


def slow() -> list[SlowSearch]:
    """The slowest kinds of searches of this week and the last."""
    return stats_calls.call(_read_slow, default=[])


def current_week() -> str:
    """The ISO week, such as "2026-W47"."""
    return _week_name(timezone.localdate())


def _week_name(day: date) -> str:
    year, week, _day = day.isocalendar()
    return f"{year}-W{week:02d}"


def _weeks() -> list[str]:
    """This week and the last."""
    today = timezone.localdate()
    return [_week_name(today), _week_name(today - timedelta(days=7))]


def _person(request: HttpRequest) -> str:
    """Who counts as one: the person, or else everybody behind one address."""
    if request.user.is_authenticated:
        return name_person(request.user.pk)
    return client_address.site_network(client_address.client_ip(request))


def _count_word(
    person: str, word: str, has_hits: bool, city: City, connected: redis.Redis
) -> CountOutcome | None:
    """Count it among everybody's, and what found something among the city's if it is new there."""
    if not limiter.hit([(COUNTED_PER_HOUR, person)]).allowed:
        return None
    week, counts = current_week(), keys.SEARCHED if has_hits else keys.MISSED
    counted = [(f"{has_hits:d}", counts(week=week))]
    if has_hits and not city.is_everywhere:
        counted.append((f"in {city.slug}", keys.SEARCHED_IN(week=week, city=city.slug)))
    calls: list[scripts.Call] = []
    for among, key in counted:
        value = f"{week}:{among}:{person}:{word}"
        digest = salted_hmac("apps.search.words", value, algorithm="sha256").digest()[:9]
        encoded = base64.b64encode(digest).decode()
        calls.append(
            (
                [keys.SEARCHERS(week=week), key],
                [encoded, word, keys.WEEK_TTL_SECONDS, MAX_SEARCHERS, MAX_WORDS],
            )
        )
    return COUNT_SEARCH.call_many(connected, calls)[0][0]


def _list_words(key: Callable[..., str], least: int) -> list[CountedWord]:
    nothing: list[CountedWord] = []
    return stats_calls.call(partial(_read_words, key, least), default=nothing)


def _read_words(key: Callable[..., str], least: int, connected: redis.Redis) -> list[CountedWord]:
    """The words of both weeks, each once, this week's first; two commands in one round trip."""
    window = ("BYSCORE", "REV", "LIMIT", 0, MAX_ROWS * _OVERFETCH_FACTOR, "WITHSCORES")
    commands = [("ZRANGE", key(week=week), "+inf", least, *window) for week in _weeks()]
    found: dict[str, CountedWord] = {}
    for reply in transport.execute_many(connected, commands):
        for text, people in transport.scored(reply):
            found.setdefault(text, CountedWord(text, int(people)))
    return list(found.values())


def _note_slow(shape: str, milliseconds: int, connected: redis.Redis) -> None:
    week = current_week()
    transport.execute_many(
        connected,
        [
            ("ZADD", keys.SLOW_WORST(week=week), "GT", milliseconds, shape),
            ("ZINCRBY", keys.SLOW_TIMES(week=week), 1, shape),
            ("EXPIRE", keys.SLOW_WORST(week=week), keys.WEEK_TTL_SECONDS),
            ("EXPIRE", keys.SLOW_TIMES(week=week), keys.WEEK_TTL_SECONDS),
        ],
    )


def _read_slow(connected: redis.Redis) -> list[SlowSearch]:
    week = current_week()
    commands = [
        ("ZRANGE", key(week=week), 0, MAX_ROWS - 1, "REV", "WITHSCORES")
        for key in (keys.SLOW_WORST, keys.SLOW_TIMES)
    ]
    worst, times = (dict(transport.scored(reply)) for reply in transport.execute_many(connected, commands))
    return [SlowSearch(shape, int(most), int(times.get(shape, 1))) for shape, most in worst.items()]
