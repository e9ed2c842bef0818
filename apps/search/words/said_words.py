"""The words that the notes about a shop say most, each with the number of notes that say it.

They are those of its newest notes, in two languages, and are counted anew every ten minutes at most.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta

from apps.blog.display import shop_notes
from apps.blog.models import Note
from apps.redis_kit import cache
from apps.search import keys
from apps.search.text import stop_words, terms
from apps.search.words import word_lists
from apps.shops.models import Shop
from apps.web import in_language
from apps.web.in_language import columns

#: Newest notes that are read, words of a language that are kept, and notes that must say one.
MAX_NOTES, MAX_WORDS, MIN_NOTES = 300, 8, 2
#: Letters of an English word, and characters of a Chinese one.
MIN_LETTERS, MAX_CHARACTERS = 3, 4
#: Characters that say nothing in a pair, beside those that join words.
EMPTY_CHARACTERS = stop_words.CHINESE | frozenset("一两几只没我你他她它要会能才每各从向所因为")
#: Two words that overlap are one where so many of the notes with either have both as one.
JOINED_SHARE = 0.7
#: Words that say nothing of a shop, beside those that say nothing to a search.
FILLERS = frozenset(
    "about after again all almost also always another any anybody anything around ask asked away back "
    "because before being best better between both came can come comes could day days don down each else "
    "enough even ever every everybody everyone everything few find first found gave get gets give go goes "
    "going good got great here how just keep last least let like little long look lot made make makes "
    "many may more most much must need never next nice nobody nothing now off once one only open other "
    "others out over own people place really right said same say see shop should somebody still take "
    "takes than thing things think though three through time times today too took two under until us very "
    "visit want way well went while whole why without would year years yes yet "
    "一个 一下 一次 一家 一样 一直 一点 不会 不是 不过 个人 什么 今天 他们 但是 你们 "
    "再来 只有 可以 因为 大家 如果 家店 就是 已经 我们 所以 时候 时间 有点 每次 比较 "
    "没有 然后 现在 真的 自己 觉得 这家 这里 那么 还是 还有 非常".split()
)


def count_words(texts: Sequence[str], without: Collection[str] = ()) -> list[tuple[str, int]]:
    """The words that most texts say and in how many, the most said first: at most MAX_WORDS.

    `without` are words to leave out. Chinese pairs that mostly stand together are one word.
    """
    counts = Counter(word for text in texts for word in {*_iter_words(text)})
    found: dict[str, int] = {}
    for word, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
        if count < MIN_NOTES or word in without or any(word in longer for longer in found):
            continue
        whole, count = _join(word, count, found, texts)
        for part in [part for part in found if part in whole]:
            del found[part]
        found[whole] = count
        if len(found) > MAX_WORDS:
            break
    # As the list counts them, in which a Chinese word may stand within another.
    said = {word: sum(bool(shop_notes.word_pattern(word).search(text)) for text in texts) for word in found}
    return sorted(said.items(), key=lambda one: (-one[1], one[0]))[:MAX_WORDS]


def _iter_words(text: str) -> Iterator[str]:
    """The words of a text that may say something."""
    for word in terms.split(text.lower()):
        if word in FILLERS or word in stop_words.ENGLISH or not word.isalpha():
            continue
        if terms.RUN_PATTERN.match(word):
            if len(word) > 1 and not EMPTY_CHARACTERS.intersection(word):
                yield word
        elif len(word) >= MIN_LETTERS:
            yield word


def _join(word: str, count: int, found: dict[str, int], texts: Sequence[str]) -> tuple[str, int]:
    """The word, or the longer one that it is a part of where it overlaps with one that was found."""
    if not terms.RUN_PATTERN.match(word):
        return word, count
    for other, number in found.items():
        for before, after in ((word, other), (other, word)):
            whole = before + after[1:]
            if before[-1] == after[0] and len(whole) <= MAX_CHARACTERS:
                together = sum(whole in text for text in texts)
                if together >= JOINED_SHARE * max(number, count):
                    return whole, together
    return word, count


def _load(shop_id: int) -> dict[str, list[tuple[str, int]]]:
    names = Shop.objects.filter(pk=shop_id).values_list(*columns("name", "type__name")).first()
    without, words = {word for name in names or () for word in terms.split(name.lower())}, word_lists.load()
    by_language: dict[str, list[str]] = {in_language.ENGLISH: [], in_language.CHINESE: []}
    newest = Note.objects.published().filter(shop=shop_id).order_by("-published_at", "-id")
    for title, text in newest.values_list("title", "text")[:MAX_NOTES]:
        for language, listed in by_language.items():
            if in_language.language_of(title + text).lower() == language:
                listed.append(f"{title}\n{text}")
    return {
        language: [
            one for one in count_words(texts, without | words.stop_words) if not words.is_blocked(one[0])
        ]
        for language, texts in by_language.items()
    }


_CACHE: cache.Cache[dict[str, list[tuple[str, int]]]] = cache.Cache(
    keys.SAID_WORDS, load=_load, fresh=timedelta(minutes=10), ttl=timedelta(days=1)
)


def most_said(shop_id: int) -> list[tuple[str, int]]:
    """The words that a shop's newest notes in the active language say most, and how many do; cache.Busy."""
    language = in_language.CHINESE if in_language.is_chinese() else in_language.ENGLISH
    return [(word, count) for word, count in (_CACHE.get(shop_id) or {}).get(language, [])]
