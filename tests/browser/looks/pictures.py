"""Small pictures of a page: one file holds a page's eight looks, each an eighth of its size."""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageChops

DIRECTORY = Path(__file__).parent / "pictures"
SCALE = 8
#: The windows, in CSS pixels: high enough for what a page is known by.
WINDOWS = {360: (360, 1_600), 1280: (1_280, 1_000)}
#: (language, width, theme) of each picture of a sheet.
Look = tuple[str, int, str]
LOOKS: tuple[Look, ...] = tuple(
    (language, width, theme) for width in WINDOWS for language in ("en", "zh") for theme in ("light", "dark")
)
#: Pixels of a small picture that are judged together: 32 CSS pixels.
BLOCK = 4
#: How far a block's mean may be off, of 255, and how many blocks of a look may be further off. A letter that
#: is drawn otherwise moves a block by less than ten, a missing card dozens by more than twenty; where a page
#: begins to stand lower, a row of blocks is another one.
MAX_BLOCK_DIFFERENCE, MAX_BLOCK_SHARE = 18, 0.03
#: How far up or down a block may stand, in pixels of a small picture: two lines of text, 48 CSS pixels.
MAX_SHIFT = 6
QUALITY = 70


def shrink(screenshot: bytes) -> Image.Image:
    """Return a screenshot (JPEG) at an eighth of its size, as its blocks' means: the file has them."""
    picture = Image.open(BytesIO(screenshot))
    picture.draft("RGB", (picture.width // SCALE, picture.height // SCALE))
    return picture.convert("RGB")


def write(name: str, looks: Mapping[Look, Image.Image]) -> None:
    """Keep a page's looks."""
    DIRECTORY.mkdir(exist_ok=True)
    arrange(looks).save(DIRECTORY / f"{name}.webp", quality=QUALITY, method=6)


def clear() -> None:
    """Forget all looks."""
    for path in DIRECTORY.glob("*.webp"):
        path.unlink()


def read(name: str) -> dict[Look, Image.Image]:
    """Return the kept looks of a page; none when there is no picture."""
    path = DIRECTORY / f"{name}.webp"
    if not path.exists():
        return {}
    with Image.open(path) as sheet:
        drawn = sheet.convert("RGB")
    return {look: drawn.crop(box) for look, box in _places().items()}


def arrange(looks: Mapping[Look, Image.Image]) -> Image.Image:
    """Return one picture of all looks."""
    places = _places()
    sheet = Image.new("RGB", (max(box[2] for box in places.values()), max(box[3] for box in places.values())))
    for look, picture in looks.items():
        sheet.paste(picture, places[look][:2])
    return sheet


def compare(kept: Image.Image | None, seen: Image.Image) -> str:
    """Return how much of a look is gone or new, more than a person overlooks; "" when it is the kept one."""
    if kept is None:
        return "no look is kept"
    gone, new = share_not_in(seen, of=kept), share_not_in(kept, of=seen)
    worst = max(gone, new)
    return f"{gone:.1%} of the look is gone, {new:.1%} is new" if worst > MAX_BLOCK_SHARE else ""


def share_not_in(other: Image.Image, *, of: Image.Image) -> float:
    """Return which share of a look's blocks stands nowhere near its place in the other look.

    A line of text more moves all that is below it, and takes nothing away.
    """
    # What has moved down may be below the other's window.
    width, height = of.width, of.height - MAX_SHIFT
    # Averages forgive what anti-aliasing, hinting and the file's compression change.
    blocks = of.crop((0, 0, width, height)).reduce(BLOCK)
    nearest = Image.new("L", blocks.size, 255)
    for shift in range(-MAX_SHIFT, MAX_SHIFT + 1):
        moved = other.crop((0, shift, width, height + shift)).reduce(BLOCK)
        nearest = ImageChops.darker(nearest, max_of_channels(ImageChops.difference(blocks, moved)))
    return sum(nearest.histogram()[MAX_BLOCK_DIFFERENCE + 1 :]) / (nearest.width * nearest.height)


def max_of_channels(picture: Image.Image) -> Image.Image:
    """Return a grey picture of each pixel's largest channel."""
    red, green, blue = picture.split()
    return ImageChops.lighter(ImageChops.lighter(red, green), blue)


def explain(kept: Image.Image | None, seen: Image.Image) -> Image.Image:
    """Return the kept look, the seen one, and what differs, side by side."""
    kept = kept or Image.new("RGB", seen.size)
    drawn = (kept, seen, ImageChops.difference(kept, seen))
    together = Image.new("RGB", (seen.width * len(drawn), seen.height))
    for place, picture in enumerate(drawn):
        together.paste(picture, (place * seen.width, 0))
    return together


def _places() -> dict[Look, tuple[int, int, int, int]]:
    """Where each look is on the sheet: a row for each width."""
    places, top = {}, 0
    for width, (across, down) in WINDOWS.items():
        across, down = across // SCALE, down // SCALE
        for number, look in enumerate(one for one in LOOKS if one[1] == width):
            places[look] = (number * across, top, (number + 1) * across, top + down)
        top += down
    return places
