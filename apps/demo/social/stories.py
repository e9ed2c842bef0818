"""Title and text of a note."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from apps.demo.social import titles, words, words_zh
from apps.shops.models import Shop

#: Words in a shop's name that say what its notes are about; other shops' are about their type.
THEMES = {
    "Noodle": "noodles",
    "Congee": "noodles",
    "Dumpling": "dumplings",
    "Hot Pot": "hot_pot",
    "Teahouse": "tea",
    "Seafood": "fish",
    "Grill": "grill",
    "Bakery": "bakery",
    "Climbing": "climbing",
    "Pool": "pool",
    "Taproom": "beer",
    "Board Game": "games",
    "Escape": "games",
}
#: One note in so many is Chinese.
CHINESE_EVERY = 4


@dataclass(frozen=True)
class Voice:
    """What people say in a language: titles by theme, details by type of shop."""

    titles: Mapping[str, tuple[str, ...]]
    openings: tuple[str, ...]
    details: Mapping[str, tuple[str, ...]]
    grumbles: tuple[str, ...]
    closings: tuple[str, ...]
    joint: str


ENGLISH = Voice(titles.TITLES, words.OPENINGS, words.DETAILS, words.GRUMBLES, words.CLOSINGS, " ")
CHINESE = Voice(
    words_zh.TITLES, words_zh.OPENINGS, words_zh.DETAILS, words_zh.GRUMBLES, words_zh.CLOSINGS, ""
)


def theme(shop: Shop) -> str:
    """What stands on the pictures of a shop's notes."""
    return next((found for word, found in THEMES.items() if word in shop.name), shop.type.slug)


def tell(shop: Shop, turn: int, rating: int, chance: Random) -> tuple[str, str]:
    """(title, text) of the `turn`-th note, from 1, of the shop's theme."""
    chinese, english = divmod(turn, CHINESE_EVERY)
    voice, told = (ENGLISH, turn - chinese) if english else (CHINESE, chinese)
    known = voice.titles[theme(shop)]
    place = {"area": shop.area, "price": f"¥{shop.price // 100}"}
    details = chance.sample(voice.details[shop.type.slug], chance.randint(2, 3))
    if rating < 4:
        details.append(chance.choice(voice.grumbles))
    first, last = chance.choice(voice.openings), chance.choice(voice.closings)
    text = "\n\n".join((first.format(**place), voice.joint.join(details), last.format(**place)))
    return known[told % len(known)], text
