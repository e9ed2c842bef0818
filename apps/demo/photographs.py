"""The demo's photographs: what `photos/photos.toml` says of each, and their files in the sizes of pages."""

import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from PIL import Image, ImageOps

from apps.accounts.pictures import files, uploads
from apps.demo.texts import TextPair

FOLDER = Path(__file__).parent / "photos"
#: The share of a photograph's width that its closer view shows.
CLOSER = 0.75


@dataclass(frozen=True)
class Photograph:
    """A photograph: `themes` are what shops that show it are about, `shows` is a dish, a room or a front."""

    name: str
    shows: str
    themes: tuple[str, ...]
    dishes: tuple[str, ...]
    words: TextPair
    alt: TextPair

    @property
    def scene(self) -> str:
        """What it has in common with photographs that look alike: they are of one front, or of one thing."""
        return "front" if self.shows == "front" else self.name.partition("-")[0]

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.webp"

    def stored_name(self, folder: str, *, closer: bool = False) -> str:
        """The name of its file in a folder of the storage, the same for all rows that show it."""
        view = f"{self.name}:closer" if closer else self.name
        return sha256(f"{folder}:{view}".encode()).hexdigest()[:32]


@dataclass(frozen=True)
class PhotoFiles:
    """A photograph as WebP, with its cards by their width; `width` and `height` are the large one's."""

    large: bytes
    cards: Mapping[int, bytes]
    width: int
    height: int

    @property
    def card(self) -> bytes:
        """The card of photos."""
        return self.cards[uploads.CARD_PIXELS]


def _read_catalogue() -> dict[str, Photograph]:
    rows = tomllib.loads((FOLDER / "photos.toml").read_text(encoding="utf-8"))
    return {
        name: Photograph(
            name,
            row["shows"],
            tuple(row["themes"]),
            tuple(row.get("dishes", ())),
            (row["words"][0], row["words"][1]),
            (row["alt"][0], row["alt"][1]),
        )
        for name, row in rows.items()
    }


CATALOGUE = _read_catalogue()


def of_theme(theme: str) -> list[Photograph]:
    """The photographs that shops of a theme may show: those that are about it first."""
    fitting = [photo for photo in CATALOGUE.values() if theme in photo.themes]
    return sorted(fitting, key=lambda photo: photo.themes.index(theme))


def no_two_alike(photos: Iterable[Photograph], beside: Iterable[Photograph] = ()) -> list[Photograph]:
    """The first photograph of each scene, without the scenes of those that they will stand beside."""
    first = {one.scene: one for one in reversed(list(photos))}
    shown = {one.scene for one in beside}
    return [one for one in reversed(first.values()) if one.scene not in shown]


def sort_by_need(
    photos: Iterable[Photograph], uses: Mapping[str, int], *, dishes: Collection[str]
) -> list[Photograph]:
    """The photographs with one of the given dishes first, then those with the fewest `uses`."""
    named = set(dishes)
    return sorted(photos, key=lambda photo: (not named & set(photo.dishes), uses.get(photo.name, 0)))


def prepare_all(photos: Iterable[Photograph], step: Callable[[int], object]) -> None:
    """Read photographs into `prepare`'s cache in two parallel threads; calls `step(n)` when n are done."""
    with ThreadPoolExecutor(2) as crew:
        for done, _ in enumerate(crew.map(prepare, photos), start=1):
            step(done)


@cache
def prepare(photo: Photograph, *, closer: bool = False) -> PhotoFiles:
    """The files of a photograph, cached: the large one as it is in the folder, the cards drawn from it.

    `closer` is a second view of the same things, as if taken from nearer and from the other side.
    """
    large = photo.path.read_bytes()
    with Image.open(BytesIO(large)) as image:
        view: Image.Image = image
        if closer:
            view = _go_closer(image)
            large = _encode(view, quality=80)
        cards = {width: _draw_card(view, width) for width in (uploads.ROW_PIXELS, uploads.CARD_PIXELS)}
        return PhotoFiles(large, cards, view.width, view.height)


def store_for_rows(photo: Photograph, folder: str, *, closer: bool = False) -> str:
    """Store a photograph in the widths of pages for rows that name its path; returns the path."""
    name, drawn = photo.stored_name(folder, closer=closer), prepare(photo, closer=closer)
    for width, card in drawn.cards.items():
        store_file(files.file_path(folder, f"{name}-{width}"), card)
    path = files.file_path(folder, name)
    store_file(path, drawn.large)
    return path


def find_stored(path: str, folder: str) -> Photograph | None:
    """The photograph that `store_for_rows` stored under a path, in either view."""
    return next(
        (
            photo
            for photo in CATALOGUE.values()
            if photo.stored_name(folder) in path or photo.stored_name(folder, closer=True) in path
        ),
        None,
    )


def store_file(path: str, content: bytes) -> None:
    """Store a picture, unless the file is there: it comes from an earlier demo and is the same."""
    if not default_storage.exists(path):
        default_storage.save(path, ContentFile(content))


def _draw_card(image: Image.Image, width: int) -> bytes:
    # Smooth, since a dozen of them are what a first visit loads; nobody sees the difference in a card.
    size = (width, width * image.height // image.width)
    return _encode(image.resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0), quality=56)


def _go_closer(image: Image.Image) -> Image.Image:
    # Most things stand in the lower middle of their scene.
    width, height = round(image.width * CLOSER), round(image.height * CLOSER)
    left, top = (image.width - width) // 8, (image.height - height) * 3 // 4
    return ImageOps.mirror(image.crop((left, top, left + width, top + height)))


def _encode(image: Image.Image, *, quality: int) -> bytes:
    file = BytesIO()
    image.save(file, "WEBP", quality=quality, method=2)
    return file.getvalue()
