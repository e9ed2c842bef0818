"""The colours of drawn covers; the drawings are in those of the first palette."""

from dataclasses import astuple, dataclass


@dataclass(frozen=True)
class Palette:
    """The colours of one cover: sky (top, bottom), background shapes (far, near), then the motif's."""

    sky: str
    glow: str
    far: str
    near: str
    main: str
    second: str
    dark: str
    light: str

    @property
    def all(self) -> tuple[str, ...]:
        """Its colours, in the order of every palette."""
        return astuple(self)


PALETTES = (
    Palette("#ffe3c2", "#ffb48a", "#f58f6c", "#d9583f", "#c4351a", "#f2b233", "#4a1f17", "#fff6ea"),
    Palette("#d9efe4", "#a9d9c3", "#74b99b", "#3c8f6f", "#1d7a4b", "#f0a23b", "#14352a", "#fbfff5"),
    Palette("#dfe8fb", "#b3c9f2", "#7f9fdc", "#4a6cb8", "#2f4f96", "#ff9f68", "#18233f", "#f8fbff"),
    Palette("#fde0ea", "#f9b4c9", "#ea86a6", "#c24e79", "#a32558", "#ffc65c", "#3f1226", "#fff7fa"),
    Palette("#ece2fb", "#cdb5f1", "#a082d6", "#6f4bb0", "#53308f", "#ffb95a", "#241341", "#fcf8ff"),
    Palette("#fff0c9", "#ffd678", "#efae3f", "#c97a1c", "#a4540f", "#d9472b", "#3f2208", "#fffaec"),
    Palette("#d6f0f2", "#9fd8de", "#5fb2bd", "#2c8390", "#14626e", "#ff8f5e", "#0d2f36", "#f5feff"),
    Palette("#f3e3d5", "#dcb89c", "#bb8a68", "#875a3d", "#6d3f25", "#e3a13a", "#2e1a10", "#fff9f2"),
)
#: Palettes that suit a shop's type: warm for food, violet for karaoke.
PALETTES_BY_TYPE = {
    "food": (0, 5, 7, 1, 0),
    "ktv": (4, 3, 2),
    "hair": (3, 6, 7, 0),
    "massage": (1, 7, 6),
    "fitness": (2, 0, 6, 5),
    "spa": (6, 1, 7),
    "kids": (5, 2, 3, 1),
    "bar": (7, 4, 0, 6),
    "party": (3, 4, 5, 0),
    "nails": (3, 4, 0, 6),
}


def fitting(slug: str) -> tuple[int, ...]:
    """The numbers of the palettes that suit a type; all of them for a type that isn't known."""
    return PALETTES_BY_TYPE.get(slug, tuple(range(len(PALETTES))))
