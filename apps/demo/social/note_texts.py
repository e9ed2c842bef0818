"""Writes the title and the text of a demo note, in English or Chinese."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Self

from apps.demo import texts
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
    **{subject: subject for subject in ("coffee", "sushi", "pizza")},
    "cake": "sweets",
    "ice_cream": "sweets",
    "hot_spring": "hot_spring",
    "bath": "hot_spring",
    "skin_care": "skin",
    "board_games": "games",
}
_THEMES, _NOTES = texts.read("themes"), texts.read("notes")
#: Theme -> topics of its notes, in English and Chinese.
TOPICS = {theme: texts.pair(row["topic"]) for theme, row in _THEMES.items()}
#: Theme -> the dishes and drinks that its notes recommend.
MENUS: dict[str, tuple[str, ...]] = {theme: tuple(row["menu"]) for theme, row in _THEMES.items()}
#: One note in this many is Chinese.
CHINESE_EVERY = 3


@dataclass(frozen=True)
class Language:
    """The phrases of one language: titles and details by theme, others by the slug of a type, or "every"."""

    titles: Mapping[str, Sequence[str]]
    details: Mapping[str, Sequence[str]]
    openings: Mapping[str, Sequence[str]]
    grumbles: Mapping[str, Sequence[str]]
    closings: Mapping[str, Sequence[str]]
    joint: str

    @classmethod
    def read(cls, language: str, joint: str) -> Self:
        """The phrases of "en" or "zh"; `joint` joins two sentences."""
        titles = {theme: row["titles"][language] for theme, row in _THEMES.items()}
        details = {theme: row["details"][language] for theme, row in _THEMES.items()}
        return cls(titles, details, joint=joint, **_NOTES[language])


ENGLISH, CHINESE = Language.read("en", " "), Language.read("zh", "")


def fitting(phrases: Mapping[str, Sequence[str]], slug: str) -> list[str]:
    """The phrases that fit every shop, and those that fit a type."""
    return [*phrases["every"], *phrases.get(slug, ())]


def theme_of_shop(shop: Shop) -> str:
    """The theme of a shop's notes: a key of texts/themes.toml."""
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
        details.append(chance.choice(fitting(voice.grumbles, slug)))
    first, last = chance.choice(fitting(voice.openings, slug)), chance.choice(fitting(voice.closings, slug))
    topic = f"#{TOPICS[theme][voice is CHINESE]}"
    text = "\n\n".join((first.format(**place), voice.joint.join(details), last.format(**place), topic))
    return known[turn_of_language % len(known)], text


def write_review(shop: Shop, rating: int, chance: Random, *, chinese: bool) -> str:
    """One or two sentences about a shop; a `rating` below 4 has a grumble."""
    voice, slug = CHINESE if chinese else ENGLISH, shop.type.slug
    sentences = [chance.choice(voice.details[theme_of_shop(shop)])]
    if rating < 4:
        sentences.append(chance.choice(fitting(voice.grumbles, slug)))
    elif chance.random() < 0.5:
        place = {"area": shop.area_zh if chinese else shop.area_en, "price": f"¥{shop.price // 100}"}
        sentences.append(chance.choice(fitting(voice.closings, slug)).format(**place))
    return voice.joint.join(sentences)
