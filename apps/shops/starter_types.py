"""The types of shops with which a site begins; managers change them in the admin."""

from apps.shops import changes
from apps.shops.models import ShopType

#: Slug and symbol of the icon sprite, names in both languages.
STARTER_TYPES = (
    ("food", "Food", "美食"),
    ("ktv", "KTV", "KTV"),
    ("hair", "Hair", "丽人·美发"),
    ("massage", "Massage", "按摩·足疗"),
    ("fitness", "Fitness", "运动健身"),
    ("spa", "Spa", "美容SPA"),
    ("kids", "Kids", "亲子游乐"),
    ("bar", "Bar", "酒吧"),
    ("party", "Party Hall", "轰趴馆"),
    ("nails", "Nails", "美甲美睫"),
)
#: Types whose notes recommend dishes or drinks.
WITH_DISHES = frozenset({"food", "bar"})


def make_missing() -> int:
    """Make those whose slug no type has; returns how many."""
    known = set(ShopType.objects.values_list("slug", flat=True))
    new = [
        ShopType(
            slug=slug,
            icon=slug,
            name_en=english,
            name_zh=chinese,
            position=position,
            has_dishes=slug in WITH_DISHES,
        )
        for position, (slug, english, chinese) in enumerate(STARTER_TYPES, start=1)
        if slug not in known
    ]
    for shop_type in new:
        changes.save_type(shop_type)
    return len(new)
