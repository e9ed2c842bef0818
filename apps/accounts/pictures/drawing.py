"""Decodes a picture that somebody sent and draws it anew; runs as a program of its own, without Django.

    python -I drawing.py '{"side": 1600, ...}' < upload > drawn

A decoder takes seconds of a core and hundreds of megabytes, and is where forged files strike. The program has
neither the site's environment nor its connections, gives way to every other process, and has limits of its
own. Only pixels come out: no GPS position, no camera, no script after the last byte.
"""

import json
import os
import resource
import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import IntEnum
from io import BytesIO

from PIL import Image, ImageOps, UnidentifiedImageError

#: Only these: Pillow also reads EPS and others that run programs.
ALLOWED_FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
#: What a decoder may take: a progressive JPEG of 50 million pixels takes 330 MB and two seconds.
MAX_MEMORY_BYTES, MAX_CPU_SECONDS = 1024 * 1024 * 1024, 20
#: How far the program stands behind those that serve pages.
NICENESS = 15
#: The longest card of a picture: a strip of a chat is cut by its page.
MAX_CARD_HEIGHT = 1_600
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
    """What to draw: at most `side` pixels long, or a square of `square`; and a card so many pixels wide.

    A JPEG is decoded at the size that is needed, so that it may have more pixels than the other formats.
    """

    side: int
    square: int = 0
    card: int = 0
    most_jpeg_pixels: int = 50_500_000
    most_other_pixels: int = 16_000_000


@dataclass(frozen=True)
class Drawn:
    """A picture drawn anew: its size, and its files as WebP, the large one first."""

    width: int
    height: int
    files: tuple[bytes, ...]


def draw(content: bytes, shape: Shape) -> Drawn:
    """Draw a picture anew; raises TooManyPixels, and BROKEN_FILE_ERRORS for what is no picture."""
    try:
        whole = _decode(content, shape)
    except BOMB_ERRORS as error:
        raise TooManyPixels from error
    if shape.square:
        whole = ImageOps.fit(whole, (shape.square, shape.square))
    return Drawn(whole.width, whole.height, tuple(map(encode_webp, _sizes(whole, shape))))


def encode_webp(image: Image.Image) -> bytes:
    """The picture as the bytes of a WebP file."""
    drawn = BytesIO()
    image.save(drawn, "WEBP", quality=82)
    return drawn.getvalue()


def _sizes(whole: Image.Image, shape: Shape) -> Iterator[Image.Image]:
    yield whole
    if shape.card:
        card = whole.copy()
        card.thumbnail((shape.card, MAX_CARD_HEIGHT))
        yield card


def _decode(content: bytes, shape: Shape) -> Image.Image:
    with Image.open(BytesIO(content), formats=ALLOWED_FORMATS) as image:
        in_part = image.format == "JPEG" and image.mode in {"RGB", "L"}
        if image.width * image.height > (shape.most_jpeg_pixels if in_part else shape.most_other_pixels):
            raise TooManyPixels
        # A palette can't be scaled.
        whole = image.convert("RGBA") if image.mode in {"P", "1"} else image
        # A square of a panorama is still filled when it is four times as long.
        side = 4 * shape.square or shape.side
        whole.thumbnail((side, side), reducing_gap=2.0)
        upright = ImageOps.exif_transpose(whole).convert("RGBA")
    # On new paper: a copy would carry its metadata along.
    paper = Image.new("RGB", upright.size, "white")
    paper.paste(upright, mask=upright)
    return paper


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
