"""Small pictures of a page: one file holds a page's eight looks, each an eighth of its size."""

from collections.abc import Iterator, Mapping, Sequence
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
#: is drawn otherwise moves a block by less than ten; a missing card moves dozens by more than twenty.
MAX_BLOCK_DIFFERENCE, MAX_BLOCK_SHARE = 18, 0.015
QUALITY = 70


def shrink(screenshot: bytes) -> Image.Image:
    """Return a screenshot (PNG) at an eighth of its size."""
    return Image.open(BytesIO(screenshot)).convert("RGB").reduce(SCALE)


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


def share_of_difference(kept: Image.Image, seen: Image.Image) -> float:
    """Return which share of a look's blocks has another mean colour than the kept one's."""
    # Averages forgive what anti-aliasing, hinting and the file's compression change.
    blocks = ImageChops.difference(kept.reduce(BLOCK), seen.reduce(BLOCK))
    worst = max_of_channels(blocks)
    return sum(worst.histogram()[MAX_BLOCK_DIFFERENCE + 1 :]) / (worst.width * worst.height)


def differs(kept: Image.Image, seen: Image.Image) -> bool:
    """Return whether more of a look is another than a person overlooks."""
    return share_of_difference(kept, seen) > MAX_BLOCK_SHARE


def max_of_channels(picture: Image.Image) -> Image.Image:
    """Return a grey picture of each pixel's largest channel."""
    red, green, blue = picture.split()
    return ImageChops.lighter(ImageChops.lighter(red, green), blue)


def changed_looks(kept: Mapping[Look, Image.Image], seen: Mapping[Look, Image.Image]) -> Iterator[str]:
    """Yield a message for each look that isn't the kept one."""
    for look, picture in seen.items():
        share = share_of_difference(kept[look], picture) if look in kept else 1.0
        if share > MAX_BLOCK_SHARE:
            yield f"{' '.join(map(str, look))}: {share:.1%} of it"


def explain(kept: Mapping[Look, Image.Image], seen: Mapping[Look, Image.Image]) -> Image.Image:
    """Return the kept looks, the seen ones, and what differs, one below the other."""
    rows = [arrange(kept), arrange(seen)]
    rows.append(ImageChops.difference(*rows))
    return _stack(rows)


def _stack(rows: Sequence[Image.Image]) -> Image.Image:
    width, height = rows[0].size
    stacked = Image.new("RGB", (width, height * len(rows)))
    for number, row in enumerate(rows):
        stacked.paste(row, (0, number * height))
    return stacked


def _places() -> dict[Look, tuple[int, int, int, int]]:
    """Where each look is on the sheet: a row for each width."""
    places, top = {}, 0
    for width, (across, down) in WINDOWS.items():
        across, down = across // SCALE, down // SCALE
        for number, look in enumerate(one for one in LOOKS if one[1] == width):
            places[look] = (number * across, top, (number + 1) * across, top + down)
        top += down
    return places
