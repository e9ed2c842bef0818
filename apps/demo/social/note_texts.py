"""Writes the title and the text of a demo note, in English or Chinese."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from apps.demo.social import texts_en, texts_zh, titles_en
from apps.shops.models import Shop

#: A word in a shop's name -> the theme of its notes. Other shops' theme is the slug of their type.
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
#: Theme -> topics of its notes, in English and Chinese.
TOPICS = {
    "food": ("dinner", "晚饭"),
    "noodles": ("noodles", "面条"),
    "dumplings": ("dumplings", "饺子"),
    "hot_pot": ("hotpot", "火锅"),
    "tea": ("tea", "喝茶"),
    "fish": ("seafood", "海鲜"),
    "grill": ("barbecue", "烧烤"),
    "bakery": ("bakery", "面包"),
    "ktv": ("karaoke", "唱歌"),
    "hair": ("haircut", "剪发"),
    "massage": ("massage", "按摩"),
    "fitness": ("workout", "健身"),
    "climbing": ("climbing", "攀岩"),
    "pool": ("swimming", "游泳"),
    "spa": ("spa", "水疗"),
    "kids": ("withkids", "亲子"),
    "bar": ("nightout", "小酌"),
    "beer": ("craftbeer", "精酿"),
    "party": ("party", "聚会"),
    "games": ("boardgames", "桌游"),
    "nails": ("nails", "美甲"),
}
#: One note in this many is Chinese.
CHINESE_EVERY = 3


@dataclass(frozen=True)
class Language:
    """The phrases of one language: titles by theme, details by the slug of the shop's type."""

    titles: Mapping[str, tuple[str, ...]]
    openings: tuple[str, ...]
    details: Mapping[str, tuple[str, ...]]
    grumbles: tuple[str, ...]
    closings: tuple[str, ...]
    joint: str


ENGLISH = Language(
    titles_en.TITLES, texts_en.OPENINGS, texts_en.DETAILS, texts_en.GRUMBLES, texts_en.CLOSINGS, " "
)
CHINESE = Language(
    texts_zh.TITLES, texts_zh.OPENINGS, texts_zh.DETAILS, texts_zh.GRUMBLES, texts_zh.CLOSINGS, ""
)


def theme_of_shop(shop: Shop) -> str:
    """The theme of a shop's notes: a key of `titles` and of album.MOTIFS."""
    return next((found for word, found in THEMES.items() if word in shop.name_en), shop.type.slug)


def write_text(shop: Shop, turn: int, rating: int, chance: Random) -> tuple[str, str]:
    """(title, text) of the `turn`-th note of the shop's theme, from 1; a `rating` below 4 adds a grumble."""
    chinese, english = divmod(turn, CHINESE_EVERY)
    voice, turn_of_language = (ENGLISH, turn - chinese) if english else (CHINESE, chinese)
    known = voice.titles[theme_of_shop(shop)]
    place = {"area": shop.area_en if voice is ENGLISH else shop.area_zh, "price": f"¥{shop.price // 100}"}
    details = chance.sample(voice.details[shop.type.slug], chance.randint(2, 3))
    if rating < 4:
        details.append(chance.choice(voice.grumbles))
    first, last = chance.choice(voice.openings), chance.choice(voice.closings)
    topic = f"#{TOPICS[theme_of_shop(shop)][voice is CHINESE]}"
    text = "\n\n".join((first.format(**place), voice.joint.join(details), last.format(**place), topic))
    return known[turn_of_language % len(known)], text


def write_review(shop: Shop, rating: int, chance: Random, *, chinese: bool) -> str:
    """One or two sentences about a shop; a `rating` below 4 has a grumble."""
    voice = CHINESE if chinese else ENGLISH
    sentences = [chance.choice(voice.details[shop.type.slug])]
    if rating < 4:
        sentences.append(chance.choice(voice.grumbles))
    elif chance.random() < 0.5:
        place = {"area": shop.area_zh if chinese else shop.area_en, "price": f"¥{shop.price // 100}"}
        sentences.append(chance.choice(voice.closings).format(**place))
    return voice.joint.join(sentences)
