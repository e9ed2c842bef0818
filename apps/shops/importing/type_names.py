"""Which type of shop a file means: by name in addresses, by either name, by a value of OpenStreetMap."""

from apps.shops.models import ShopType

#: Values of `amenity`, `leisure` and `shop` in OpenStreetMap -> the starter types' names in addresses.
#: Source: https://wiki.openstreetmap.org/wiki/Key:amenity, read in November 2026.
OPENSTREETMAP = {
    **dict.fromkeys(
        ("restaurant", "fast_food", "food_court", "cafe", "ice_cream", "bakery", "pastry", "tea", "coffee",
         "confectionery", "bbq", "canteen"),
        "food",
    ),
    **dict.fromkeys(("bar", "pub", "biergarten", "nightclub"), "bar"),
    **dict.fromkeys(("karaoke_box", "karaoke"), "ktv"),
    **dict.fromkeys(("hairdresser", "barber"), "hair"),
    **dict.fromkeys(("nails", "nail_salon", "beauty"), "nails"),
    **dict.fromkeys(("massage",), "massage"),
    **dict.fromkeys(("spa", "sauna", "public_bath"), "spa"),
    **dict.fromkeys(("fitness_centre", "gym", "sports_centre", "dojo", "fitness_station"), "fitness"),
    **dict.fromkeys(("playground", "indoor_play", "kindergarten", "childcare", "theme_park"), "kids"),
    **dict.fromkeys(("bowling_alley", "escape_game", "amusement_arcade", "cinema", "events_venue"), "party"),
}  # fmt: skip


class TypeNames:
    """The site's types by everything that they are called; two queries for a file."""

    def __init__(self) -> None:
        types = list(ShopType.objects.all())
        by_slug = {kind.slug: kind for kind in types}
        self._types = {name: by_slug[slug] for name, slug in OPENSTREETMAP.items() if slug in by_slug}
        for names in ("name_zh", "name_en", "slug"):
            self._types |= {getattr(kind, names).strip().casefold(): kind for kind in types}
        self.known = ", ".join(kind.name for kind in types)

    def find(self, written: str) -> ShopType | None:
        return self._types.get(" ".join(written.split()).casefold())
