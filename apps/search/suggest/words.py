"""Words to search for: types, cities and areas of shops, words that names share, and trending searches.

Few enough to be sorted by how often they occur when they are read, so one sorted set holds them, scored by
the first six bytes of their spelling (redis_kit.autocomplete.scores).
"""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import timedelta

from apps.redis_kit import client, scripts, transport
from apps.redis_kit.autocomplete import scores, spelling
from apps.redis_kit.autocomplete.spelling import NAME_END, PART_MARK, fold
from apps.redis_kit.transport import Steps
from apps.search import keys
from apps.search.suggest.sources import WORDS, Suggestion, aliases
from apps.search.words import search_counts, word_lists
from apps.shops.models import Shop, ShopType
from apps.web.in_language import columns

#: Shops whose names share a word before it is suggested; letters of a Latin word, and of a Chinese ending.
MIN_SHOPS, MIN_LETTERS, ENDING_CHARACTERS = 3, 3, 2
MAX_WORDS = 20_000
#: Words that one prefix reads: past it the list is cut in the order of spelling.
MAX_READ = 1_000
TTL = timedelta(days=2)
#: A type of shop, a city or a trending search comes before a word that only occurs in names.
CHOSEN_WEIGHT = 1_000


def find(typed: str, limit: int) -> list[Suggestion]:
    """Words that begin so, the frequent first; none while Redis is away."""
    try:
        return transport.run_together(client.get(), [find_steps(typed, limit)])[0]
    except client.UNAVAILABLE:
        return []


def find_steps(typed: str, limit: int) -> Steps[list[Suggestion]]:
    """What `find` does, as the steps of a verb; raises UNAVAILABLE."""
    folded = fold(typed)
    low, high = scores.prefix_range(folded)
    command = ("ZRANGE", keys.SUGGEST_WORDS(), low, f"({high}", "BYSCORE", "LIMIT", 0, MAX_READ)
    members: list[str] = scripts.raise_errors((yield [command]))[0]
    counts: Counter[str] = Counter()
    for spelled, word, count in (member.split(NAME_END) for member in members):
        if spelled.startswith(folded):
            counts[word] = max(counts[word], int(count))
    lists = word_lists.load()
    ranked = sorted(counts, key=lambda word: (-counts[word], len(word), word))
    return [Suggestion(WORDS, word) for word in ranked if not lists.is_blocked(fold(word))][:limit]


def rebuild(report: Callable[[int, int], None]) -> int:
    """Count the words again and put them in place of the old ones; returns how many there are."""
    counts = _count_words()
    key = keys.SUGGEST_WORDS()
    members: list[str | int] = []
    for word, count in counts.most_common(MAX_WORDS):
        for spelled in {fold(word), *(alias.replace(PART_MARK, "") for alias in aliases([word]))}:
            members += (scores.score(spelled), NAME_END.join((spelled, word, str(count))))
    commands: list[list[str | int]] = [["DEL", key]]
    if members:
        commands += [["ZADD", key, *members], ["EXPIRE", key, int(TTL.total_seconds())]]
    with client.get().pipeline(transaction=True) as pipe:
        for command in commands:
            pipe.execute_command(*command)
        pipe.execute()
    report(len(counts), len(counts))
    return len(counts)


def rebuild_if_missing() -> None:
    """Rebuild when Redis has no words, as at the first start."""
    if not transport.execute(client.get(), ("EXISTS", keys.SUGGEST_WORDS())):
        rebuild(lambda _done, _total: None)


def _count_words() -> Counter[str]:
    counts = Counter({word: CHOSEN_WEIGHT for word in search_counts.trending()})
    for names in ShopType.objects.values_list(*columns("name")):
        counts.update(dict.fromkeys(filter(None, names), CHOSEN_WEIGHT))
    shared: Counter[str] = Counter()
    rows = Shop.objects.open_to_public().values_list(*columns("name", "city", "area"))
    for name_en, name_zh, *places in rows.iterator(2_000):
        counts.update({place for place in places if place})
        shared.update(_words_of_name(name_en, name_zh))
    counts.update({word: count for word, count in shared.items() if count >= MIN_SHOPS})
    return Counter({word: count for word, count in counts.items() if _is_storable(word)})


def _words_of_name(name_en: str, name_zh: str) -> Iterable[str]:
    """Latin words, and the end of a Chinese name, which mostly says what the shop is: 火锅, 面馆."""
    latin = {word for word in spelling.words(fold(name_en)) if word.isalpha() and len(word) >= MIN_LETTERS}
    plain = name_zh.partition("(")[0].partition("\uff08")[0].strip()
    return latin | ({plain[-ENDING_CHARACTERS:]} if len(plain) > ENDING_CHARACTERS else set())


def _is_storable(word: str) -> bool:
    return bool(fold(word)) and NAME_END not in word
