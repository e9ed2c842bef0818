"""Makes pictures as people upload them, and files that only pretend to be pictures."""

import struct
import zlib
from collections.abc import Callable
from io import BytesIO

from PIL import Image
from PIL.Image import Exif

GPS, ORIENTATION, DESCRIPTION = 0x8825, 0x0112, 0x010E


def make_picture(
    kind: str = "JPEG", size: tuple[int, int] = (400, 300), colour: str = "red", turned: int = 1
) -> bytes:
    """Return a picture with a place in its EXIF; `turned` is EXIF's orientation, 1 for upright."""
    drawn, exif = BytesIO(), Exif()
    exif[DESCRIPTION], exif[ORIENTATION] = "where I live", turned
    exif.get_ifd(GPS)[1] = "N"
    Image.new("RGB", size, colour).save(drawn, kind, exif=exif)
    return drawn.getvalue()


def make_huge_png(side: int) -> bytes:
    """Return a small PNG whose header claims side x side pixels."""
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    body = zlib.compress(b"\x00" * 1_000)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _png_chunk(b"IHDR", header)
        + _png_chunk(b"IDAT", body)
        + _png_chunk(b"IEND", b"")
    )


def make_decompression_bomb() -> bytes:
    """Return a PNG of modest size whose comment unpacks to 64 megabytes."""
    text = b"Comment\x00\x00" + zlib.compress(b"\x00" * (64 << 20), 9)
    whole = make_picture("PNG")
    return whole[:33] + _png_chunk(b"zTXt", text) + whole[33:]


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


#: Name -> what makes an upload that must be refused: no picture, or too large a one.
#: Nothing is made at import, as the bomb takes a third of a second.
REFUSED_FILES: dict[str, Callable[[], bytes]] = {
    "nothing": lambda: b"",
    "text": lambda: b"hello",
    "SVG": lambda: b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    "HTML": lambda: b"<html><script>alert(1)</script></html>",
    "a zip": lambda: b"PK\x03\x04" + b"\x00" * 100,
    "a cut JPEG": lambda: make_picture()[:200],
    "a cut PNG": lambda: make_picture("PNG")[:60],
    "PostScript": lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
    "BMP": lambda: make_picture("BMP"),
    "50,000 x 50,000": lambda: make_huge_png(50_000),
    "11,000 x 11,000": lambda: make_huge_png(11_000),
    "9,000 x 9,000": lambda: make_huge_png(9_000),
    "a bomb": make_decompression_bomb,
}
