"""Writes the title and the text of a demo note, in English or Chinese."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from apps.demo.social import texts_en, texts_zh, titles_en
from apps.shops.covers import subjects
from apps.shops.models import Shop

#: What a shop's name is about (shops.covers.subjects) -> the theme of its notes. The theme of other shops is
#: the slug of their type.
THEMES = {
    **{
        subject: subject
        for subject in ("noodles", "congee", "dumplings", "hot_pot", "tea", "fish", "duck", "grill")
    },
    **{subject: subject for subject in ("bakery", "climbing", "boxing", "yoga", "pool", "badminton")},
    **{subject: subject for subject in ("trampoline", "books", "clay", "beer", "escape")},
    "hot_spring": "hot_spring",
    "bath": "hot_spring",
    "skin_care": "skin",
    "board_games": "games",
}
#: Theme -> topics of its notes, in English and Chinese.
TOPICS = {
    "food": ("dinner", "晚饭"),
    "noodles": ("noodles", "面条"),
    "congee": ("congee", "喝粥"),
    "dumplings": ("dumplings", "饺子"),
    "hot_pot": ("hotpot", "火锅"),
    "tea": ("tea", "喝茶"),
    "fish": ("seafood", "海鲜"),
    "duck": ("roastduck", "烤鸭"),
    "grill": ("barbecue", "烧烤"),
    "bakery": ("bakery", "面包"),
    "ktv": ("karaoke", "唱歌"),
    "hair": ("haircut", "剪发"),
    "massage": ("massage", "按摩"),
    "fitness": ("workout", "健身"),
    "climbing": ("climbing", "攀岩"),
    "boxing": ("boxing", "拳击"),
    "yoga": ("yoga", "瑜伽"),
    "pool": ("swimming", "游泳"),
    "badminton": ("badminton", "羽毛球"),
    "spa": ("spa", "水疗"),
    "hot_spring": ("hotspring", "温泉"),
    "skin": ("skincare", "护肤"),
    "kids": ("withkids", "亲子"),
    "trampoline": ("trampoline", "蹦床"),
    "books": ("storytime", "绘本"),
    "clay": ("pottery", "陶艺"),
    "bar": ("nightout", "小酌"),
    "beer": ("craftbeer", "精酿"),
    "party": ("party", "聚会"),
    "games": ("boardgames", "桌游"),
    "escape": ("escaperoom", "密室"),
    "nails": ("nails", "美甲"),
}
#: One note in this many is Chinese.
CHINESE_EVERY = 3


@dataclass(frozen=True)
class Language:
    """The phrases of one language: titles and details by theme, others also by the slug of a type."""

    titles: Mapping[str, tuple[str, ...]]
    openings: tuple[str, ...]
    openings_by_type: Mapping[str, tuple[str, ...]]
    details: Mapping[str, tuple[str, ...]]
    grumbles: tuple[str, ...]
    grumbles_by_type: Mapping[str, tuple[str, ...]]
    closings: tuple[str, ...]
    closings_by_type: Mapping[str, tuple[str, ...]]
    joint: str

    def openings_of(self, slug: str) -> tuple[str, ...]:
        """The openings that fit a type of shops."""
        return self.openings + self.openings_by_type.get(slug, ())

    def grumbles_of(self, slug: str) -> tuple[str, ...]:
        """The grumbles that fit a type of shops."""
        return self.grumbles + self.grumbles_by_type.get(slug, ())

    def closings_of(self, slug: str) -> tuple[str, ...]:
        """The closings that fit a type of shops."""
        return self.closings + self.closings_by_type.get(slug, ())


def _language(titles: Mapping[str, tuple[str, ...]], texts: Any, joint: str) -> Language:
    return Language(
        titles,
        texts.OPENINGS,
        texts.OPENINGS_BY_TYPE,
        texts.DETAILS,
        texts.GRUMBLES,
        texts.GRUMBLES_BY_TYPE,
        texts.CLOSINGS,
        texts.CLOSINGS_BY_TYPE,
        joint,
    )


ENGLISH = _language(titles_en.TITLES, texts_en, " ")
CHINESE = _language(texts_zh.TITLES, texts_zh, "")


def theme_of_shop(shop: Shop) -> str:
    """The theme of a shop's notes: a key of `titles` and of album.MOTIFS."""
    return THEMES.get(subjects.find(shop.name_en, shop.name_zh), shop.type.slug)


def is_chinese(turn: int) -> bool:
    """Whether the `turn`-th note of a theme, from 1, is Chinese."""
    return turn % CHINESE_EVERY == 0


def write_text(shop: Shop, turn: int, rating: int, chance: Random) -> tuple[str, str]:
    """(title, text) of the `turn`-th note of the shop's theme, from 1; a `rating` below 4 adds a grumble."""
    chinese = turn // CHINESE_EVERY
    voice, turn_of_language = (CHINESE, chinese) if is_chinese(turn) else (ENGLISH, turn - chinese)
    theme, slug = theme_of_shop(shop), shop.type.slug
    known = voice.titles[theme]
    place = {"area": shop.area_en if voice is ENGLISH else shop.area_zh, "price": f"¥{shop.price // 100}"}
    details = chance.sample(voice.details[theme], chance.randint(2, 3))
    if rating < 4:
        details.append(chance.choice(voice.grumbles_of(slug)))
    first, last = chance.choice(voice.openings_of(slug)), chance.choice(voice.closings_of(slug))
    topic = f"#{TOPICS[theme][voice is CHINESE]}"
    text = "\n\n".join((first.format(**place), voice.joint.join(details), last.format(**place), topic))
    return known[turn_of_language % len(known)], text


def write_review(shop: Shop, rating: int, chance: Random, *, chinese: bool) -> str:
    """One or two sentences about a shop; a `rating` below 4 has a grumble."""
    voice, slug = CHINESE if chinese else ENGLISH, shop.type.slug
    sentences = [chance.choice(voice.details[theme_of_shop(shop)])]
    if rating < 4:
        sentences.append(chance.choice(voice.grumbles_of(slug)))
    elif chance.random() < 0.5:
        place = {"area": shop.area_zh if chinese else shop.area_en, "price": f"¥{shop.price // 100}"}
        sentences.append(chance.choice(voice.closings_of(slug)).format(**place))
    return voice.joint.join(sentences)
