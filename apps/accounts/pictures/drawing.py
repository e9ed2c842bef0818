"""Decodes an uploaded picture and draws it anew; runs as a program of its own, without Django.

    python -I drawing.py '{"side": 1600, ...}' < upload > drawn

A decoder takes seconds of a core and hundreds of megabytes, and is where forged files strike. The program has
neither the site's environment nor its connections, gives way to every other process, and has limits of its
own. Only pixels come out: no GPS position, no camera, no script after the last byte. Broken pixels refuse a
picture and its metadata never does: that is taken out before the decoder sees the file, and of it only the
orientation and the colour profile are read. The beginning of a moving picture moves, in its large file
alone; of several pictures in a file the first is drawn.
"""

import contextlib
import json
import os
import re
import resource
import struct
import sys
import warnings
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import IntEnum
from io import BytesIO
from typing import Literal

from PIL import Image, ImageCms, ImageOps, UnidentifiedImageError
from PIL.Image import Transpose

#: Only these: Pillow also reads EPS and others that run programs.
ALLOWED_FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
MOVING_FORMATS = ("PNG", "WEBP", "GIF")
#: What a decoder may take: a progressive JPEG of 50 million pixels takes 330 MB and two seconds.
MAX_MEMORY_BYTES, MAX_CPU_SECONDS = 1024 * 1024 * 1024, 20
#: How far the program stands behind those that serve pages.
NICENESS = 15
#: The longest card of a picture: of a longer strip it shows the beginning.
MAX_CARD_HEIGHT = 1_600
#: The narrow side of a strip has so many pixels, so that a long screenshot can be read; WebP's longest side
#: has 16,383.
MIN_NARROW_PIXELS, MAX_LONG_PIXELS = 720, 16_000
#: What plays of a moving picture: for so long in all, since beside text none may move longer without a way to
#: stop it (WCAG 2.2.2), so many frames, of so long a side, and as many as are decoded in a few seconds.
MAX_MOVING_MS, MAX_FRAMES, MAX_MOVING_SIDE, MAX_MOVING_PIXELS = 5_000, 150, 640, 100_000_000
#: A movement that takes more is a still picture.
MAX_MOVING_BYTES = 3 * 1024 * 1024
#: Browsers show a frame that names a shorter time for so long.
LEAST_FRAME_MS, DEFAULT_FRAME_MS = 20, 100
#: Unpacked bytes of a colour profile in a PNG; those of cameras and printers have up to a few megabytes.
MAX_PROFILE_BYTES = 4 * 1024 * 1024
#: Entries of EXIF's first directory that are looked through.
MAX_EXIF_ENTRIES = 1_000
_ORIENTATION_TAG = 0x0112
#: Bytes of a number in EXIF by its type, for those that an orientation may have.
_EXIF_NUMBER_BYTES = {1: 1, 3: 2, 4: 4, 8: 2, 9: 4}
#: What brings a picture of each EXIF orientation upright.
_TRANSPOSITIONS = {
    2: Transpose.FLIP_LEFT_RIGHT,
    3: Transpose.ROTATE_180,
    4: Transpose.FLIP_TOP_BOTTOM,
    5: Transpose.TRANSPOSE,
    6: Transpose.ROTATE_270,
    7: Transpose.TRANSVERSE,
    8: Transpose.ROTATE_90,
}
_XMP_ORIENTATION = re.compile(rb'tiff:Orientation(?:="|>)([1-8])')
#: Modes of the pixels that a profile of each colour space describes.
_PROFILE_MODES = {"RGB": "RGB", "GRAY": "L", "CMYK": "CMYK"}
#: An animation's list of frames, the place and time of each, and its pixels.
_PNG_FRAME_CHUNKS = (b"acTL", b"fcTL", b"fdAT")
_PNG_SIGNATURE, _JPEG_START = b"\x89PNG\r\n\x1a\n", b"\xff\xd8"
BOMB_ERRORS = (Image.DecompressionBombError, Image.DecompressionBombWarning)
BROKEN_FILE_ERRORS = (
    *(UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, MemoryError),
    *(struct.error, TypeError, KeyError, IndexError, OverflowError),
)


class ExitCode(IntEnum):
    """How the program ends when it draws nothing."""

    BROKEN = 3
    TOO_MANY_PIXELS = 4


class TooManyPixels(Exception):
    """The picture has more pixels than may be decoded."""


@dataclass(frozen=True)
class Shape:
    """What to draw: at most `side` pixels long, or a square of `square`; and a card in each of some widths.

    With `moves` a moving picture moves in its large file. A strip is longer, so that its narrow side keeps
    MIN_NARROW_PIXELS, but at most MAX_LONG_PIXELS. A JPEG is decoded at the size that is needed, so that it
    may have more pixels than the other formats.
    """

    side: int
    square: int = 0
    cards: Sequence[int] = ()
    moves: bool = False
    most_jpeg_pixels: int = 50_500_000
    most_other_pixels: int = 16_000_000


@dataclass(frozen=True)
class Drawn:
    """A picture drawn anew: its size, and its files as WebP, the large one before its cards."""

    width: int
    height: int
    files: tuple[bytes, ...]


def draw(content: bytes, shape: Shape) -> Drawn:
    """Draw a picture anew; raises TooManyPixels, and BROKEN_FILE_ERRORS for what is no picture."""
    parts = _take_apart(content)
    try:
        whole = _decode(parts, shape)
    except BOMB_ERRORS as error:
        raise TooManyPixels from error
    if shape.square:
        whole = ImageOps.fit(whole, (shape.square, shape.square))
    cards = tuple(map(encode_webp, _cards(whole, shape)))
    moving = _Moving(parts.moving or parts.pixels) if shape.moves else None
    if moving and moving.frames and len(file := moving.encode()) <= MAX_MOVING_BYTES:
        return Drawn(*moving.frames[0].size, (file, *cards))
    return Drawn(whole.width, whole.height, (encode_webp(whole), *cards))


def encode_webp(image: Image.Image) -> bytes:
    """The picture as the bytes of a WebP file."""
    drawn = BytesIO()
    image.save(drawn, "WEBP", quality=82)
    return drawn.getvalue()


def _cards(whole: Image.Image, shape: Shape) -> Iterator[Image.Image]:
    for width in shape.cards:
        height = min(whole.height, whole.width * MAX_CARD_HEIGHT // width)
        card = whole.crop((0, 0, whole.width, height))
        card.thumbnail((width, MAX_CARD_HEIGHT))
        yield card


def _decode(parts: "_Parts", shape: Shape) -> Image.Image:
    with Image.open(BytesIO(parts.pixels), formats=ALLOWED_FORMATS) as image:
        in_part = image.format == "JPEG" and image.mode in {"RGB", "L"}
        if image.width * image.height > (shape.most_jpeg_pixels if in_part else shape.most_other_pixels):
            raise TooManyPixels
        scaled = _scale(image, *_fit(image.width, image.height, shape))
        # Of a WebP Pillow reads the metadata, and understands none of it.
        exif, xmp = parts.exif or image.info.get("exif", b""), parts.xmp or image.info.get("xmp", b"")
        coloured = _to_srgb(scaled, parts.profile or image.info.get("icc_profile", b""))
    turn = _TRANSPOSITIONS.get(_read_orientation(exif, xmp))
    return _on_paper(coloured if turn is None else coloured.transpose(turn))


def _on_paper(picture: Image.Image) -> Image.Image:
    upright = picture.convert("RGBA")
    # On new paper: a copy would carry its metadata along.
    paper = Image.new("RGB", upright.size, "white")
    paper.paste(upright, mask=upright)
    return paper


class _Moving:
    """The beginning of a moving picture; no `frames` for a file that has fewer than two."""

    def __init__(self, content: bytes) -> None:
        self.frames: list[Image.Image] = []
        self.times_ms: list[int] = []
        # What is wrong with a later frame ends the movement there. Pillow warns of a wrong list of frames.
        errors = (*BROKEN_FILE_ERRORS, *BOMB_ERRORS)
        with warnings.catch_warnings(action="ignore"), contextlib.suppress(*errors):
            self._read(content)
        if len(self.frames) < 2:
            self.frames = []

    def encode(self) -> bytes:
        """The frames as the bytes of a WebP file, which plays as often as the time allows."""
        first, *others = self.frames
        plays = max(1, MAX_MOVING_MS // sum(self.times_ms))
        drawn = BytesIO()
        options = {"duration": self.times_ms, "loop": plays, "quality": 75, "method": 2}
        first.save(drawn, "WEBP", save_all=True, append_images=others, **options)
        return drawn.getvalue()

    def _read(self, content: bytes) -> None:
        with Image.open(BytesIO(content), formats=MOVING_FORMATS) as image:
            scale = min(1.0, MAX_MOVING_SIDE / max(image.size))
            width, height = (max(1, round(side * scale)) for side in image.size)
            profile = image.info.get("icc_profile", b"")
            for number in range(min(MAX_FRAMES, MAX_MOVING_PIXELS // (image.width * image.height))):
                image.seek(number)
                self.frames.append(_on_paper(_to_srgb(_scale(image, width, height), profile)))
                named = int(image.info.get("duration") or 0)
                self.times_ms.append(named if named >= LEAST_FRAME_MS else DEFAULT_FRAME_MS)
                if sum(self.times_ms) >= MAX_MOVING_MS:
                    return


def _fit(width: int, height: int, shape: Shape) -> tuple[int, int]:
    """The size in which a picture is drawn."""
    # A square of a panorama is still filled when it is four times as long.
    side, narrow = 4 * shape.square or shape.side, shape.square or min(MIN_NARROW_PIXELS, shape.side)
    longest, narrowest = max(width, height), min(width, height)
    scale = min(1.0, max(side / longest, narrow / narrowest), MAX_LONG_PIXELS / longest)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _scale(image: Image.Image, width: int, height: int) -> Image.Image:
    """The picture in a size, in a mode that can be scaled and with at most 8 bits a channel."""
    if image.mode.startswith("I"):
        # The grey of 16 bits, which a conversion would cut off; its transparent shade has 16 bits too.
        image.info.pop("transparency", None)
        image = image.point(lambda shade: shade * (1 / 256)).convert("L")
    elif image.mode in {"P", "1"}:
        image = image.convert("RGBA")
    # A JPEG is decoded at an eighth, a quarter or a half of its size.
    drafted = image.draft(None, (2 * width, 2 * height))
    return image.resize(
        (width, height), Image.Resampling.BICUBIC, box=drafted[1] if drafted else None, reducing_gap=2.0
    )


def _to_srgb(image: Image.Image, profile: bytes) -> Image.Image:
    """The picture in the colours that its profile means; as it is without a profile that fits it."""
    if not profile:
        return image
    try:
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        mode = _PROFILE_MODES.get(source.profile.xcolor_space.strip())
        if mode is None or (mode == "CMYK") != (image.mode == "CMYK"):
            return image
        plain = image if image.mode == mode else image.convert(mode)
        target = ImageCms.createProfile("sRGB")
        coloured = ImageCms.profileToProfile(plain, source, target, outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError, AttributeError):
        return image
    if coloured is None:
        return image
    if "A" in image.getbands():
        coloured.putalpha(image.getchannel("A"))
    return coloured


@dataclass
class _Parts:
    """A file without its metadata, and what of that is read."""

    pixels: bytes
    #: With what else its frames need, where that isn't the same.
    moving: bytes = b""
    exif: bytes = b""
    xmp: bytes = b""
    profile: bytes = b""


def _take_apart(content: bytes) -> _Parts:
    """The parts of a file; what is neither JPEG nor PNG stays whole."""
    if content.startswith(_JPEG_START):
        return _take_jpeg_apart(content)
    return _take_png_apart(content) if content.startswith(_PNG_SIGNATURE) else _Parts(content)


def _take_jpeg_apart(content: bytes) -> _Parts:
    """A JPEG without comments, thumbnails and further pictures (MPO), with the marks of its colours."""
    parts, kept, profile = _Parts(b""), [_JPEG_START], dict[int, bytes]()
    at = content.find(b"\xff", 2)
    while 0 <= at < len(content) - 4 and content[at + 1] != 0xDA:
        marker, length = content[at + 1], int.from_bytes(content[at + 2 : at + 4])
        if marker in (0x00, 0x01, 0xFF) or 0xD0 <= marker <= 0xD8:
            # Filling, which has no length.
            at = content.find(b"\xff", at + 1)
            continue
        segment, body = content[at : at + 2 + length], content[at + 4 : at + 2 + length]
        if _describes_pixels(marker, body):
            kept.append(segment)
        elif marker == 0xE1 and body.startswith(b"Exif\0"):
            parts.exif = parts.exif or body[6:]
        elif marker == 0xE1 and body.startswith(b"http://ns.adobe.com/xap/1.0/\0"):
            parts.xmp = parts.xmp or body
        elif marker == 0xE2 and body.startswith(b"ICC_PROFILE\0") and len(body) >= 14:
            profile.setdefault(body[12], body[14:])
        at = content.find(b"\xff", at + 2 + max(length, 2))
    parts.pixels = b"".join([*kept, content[at:] if at >= 0 else b""])
    parts.profile = b"".join(profile[number] for number in sorted(profile))
    return parts


def _describes_pixels(marker: int, body: bytes) -> bool:
    """Whether a segment of a JPEG is no metadata, or says which colours the channels have."""
    if marker == 0xE0:
        return body.startswith(b"JFIF\0") and len(body) >= 14
    if marker == 0xEE:
        return body.startswith(b"Adobe") and len(body) >= 12
    return marker not in (*range(0xE0, 0xF0), 0xFE)


def _take_png_apart(content: bytes) -> _Parts:
    """A PNG of the chunks alone that its pixels need, and one with those of its frames."""
    parts, kept, at = _Parts(b""), [_PNG_SIGNATURE], len(_PNG_SIGNATURE)
    moving = [_PNG_SIGNATURE]
    while at + 8 <= len(content):
        kind, end = content[at + 4 : at + 8], at + 12 + int.from_bytes(content[at : at + 4])
        data = content[at + 8 : end - 4]
        if kind[:1].isupper() or kind == b"tRNS":
            kept.append(content[at:end])
            moving.append(content[at:end])
        elif kind in _PNG_FRAME_CHUNKS:
            moving.append(content[at:end])
        elif kind == b"eXIf":
            parts.exif = data
        elif kind == b"iCCP":
            parts.profile = _inflate(data.partition(b"\0")[2][1:])
        elif kind == b"iTXt" and data.startswith(b"XML:com.adobe.xmp\0"):
            parts.xmp = data
        at = end
    parts.pixels, parts.moving = b"".join(kept), b"".join(moving)
    return parts


def _inflate(packed: bytes) -> bytes:
    """The unpacked bytes; none for broken ones, and for more than a profile has."""
    unpacker = zlib.decompressobj()
    try:
        unpacked = unpacker.decompress(packed, MAX_PROFILE_BYTES)
    except zlib.error:
        return b""
    return b"" if unpacker.unconsumed_tail else unpacked


def _read_orientation(exif: bytes, xmp: bytes) -> int:
    """The orientation tag's value, 1 to 8, whatever the other tags are."""
    tiff = exif.removeprefix(b"Exif\0\0")
    orders: dict[bytes, Literal["little", "big"]] = {b"II": "little", b"MM": "big"}
    order = orders.get(tiff[:2])
    if order:
        first = int.from_bytes(tiff[4:8], order)
        count = min(int.from_bytes(tiff[first : first + 2], order), MAX_EXIF_ENTRIES)
        for at in range(first + 2, first + 2 + 12 * count, 12):
            entry = tiff[at : at + 12]
            if len(entry) == 12 and int.from_bytes(entry[:2], order) == _ORIENTATION_TAG:
                size = _EXIF_NUMBER_BYTES.get(int.from_bytes(entry[2:4], order), 2)
                number = int.from_bytes(entry[8 : 8 + size], order)
                if number in range(1, 9):
                    return number
    found = _XMP_ORIENTATION.search(xmp)
    return int(found[1]) if found else 1


def write_arguments(shape: Shape) -> list[str]:
    """The arguments of the program for a shape."""
    return [json.dumps(asdict(shape))]


def read_output(output: bytes) -> Drawn:
    """What the program has written."""
    head, _, rest = output.partition(b"\n")
    width, height, *lengths = json.loads(head)
    return Drawn(width, height, tuple(_cut(rest, lengths)))


def _cut(content: bytes, lengths: Sequence[int]) -> Iterator[bytes]:
    start = 0
    for length in lengths:
        yield content[start : start + length]
        start += length


def main(given: str) -> int:
    """The program: exit code 0 with the drawn files on standard output, or an ExitCode."""
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS))
    try:
        drawn = draw(sys.stdin.buffer.read(), Shape(**json.loads(given)))
    except TooManyPixels:
        return ExitCode.TOO_MANY_PIXELS
    except BROKEN_FILE_ERRORS:
        return ExitCode.BROKEN
    head = json.dumps([drawn.width, drawn.height, *map(len, drawn.files)])
    sys.stdout.buffer.write(head.encode() + b"\n" + b"".join(drawn.files))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
