"""The dishes and drinks that the demo's notes recommend, by the theme of a shop's notes."""

from random import Random

from apps.blog.models import MAX_DISHES
from apps.demo.social.note_texts import MENUS


def choose_dishes(theme: str, chance: Random) -> tuple[str, ...]:
    """Up to three dishes of a theme, the first ones most often; none where the theme has no menu."""
    menu = MENUS.get(theme, ())
    wanted = min(len(menu), MAX_DISHES, chance.choice((0, 1, 1, 2, 3)))
    picked = dict.fromkeys(menu[int(len(menu) * chance.random() ** 2)] for _ in range(wanted))
    return tuple(picked)
