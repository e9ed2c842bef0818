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


def insert_bomb(png: bytes) -> bytes:
    """Return a PNG of modest size with a comment that unpacks to 64 megabytes."""
    return insert_chunk(png, b"zTXt", b"Comment\x00\x00" + zlib.compress(b"\x00" * (64 << 20), 9))


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


#: Name -> what makes an upload that must be refused: no picture, or too large a one.
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
}


def pixels_of(picture: Image.Image, kind: str, **options: object) -> bytes:
    """The bytes of a file of that kind."""
    written = BytesIO()
    picture.save(written, kind, **options)
    return written.getvalue()


def insert_segment(jpeg: bytes, marker: int, body: bytes) -> bytes:
    """A JPEG with a further segment before all others."""
    return jpeg[:2] + bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body + jpeg[2:]


def insert_chunk(png: bytes, kind: bytes, data: bytes, *, checksum: int | None = None) -> bytes:
    """A PNG with a further chunk behind its header; `checksum`: a wrong one."""
    chunk = _png_chunk(kind, data)
    if checksum is not None:
        chunk = chunk[:-4] + struct.pack(">I", checksum)
    return png[:33] + chunk + png[33:]


def make_exif(*entries: bytes, order: str = "<", count: int | None = None) -> bytes:
    """An EXIF block of these entries of twelve bytes, as they are; `count`: a wrong number of them."""
    beginning = b"II*\x00\x08\x00\x00\x00" if order == "<" else b"MM\x00*\x00\x00\x00\x08"
    return beginning + struct.pack(f"{order}H", len(entries) if count is None else count) + b"".join(entries)


def make_exif_entry(tag: int, kind: int, count: int, value: bytes, order: str = "<") -> bytes:
    """An entry of EXIF: tag, type, number of values, and four bytes."""
    return struct.pack(f"{order}HHI", tag, kind, count) + value.ljust(4, b"\0")[:4]


def make_profile(space: str = "RGB ") -> bytes:
    """An ICC profile: Display P3 as phones write it, or grey with a gamma of 1.8 for "GRAY"."""
    white, curve = (
        _xyz(0.9642, 1.0, 0.8249),
        _tag(b"para", struct.pack(">HH5i", 3, 0, *map(_fixed, _SRGB_CURVE))),
    )
    tags = {b"desc": _tag(b"text", b"profile\0"), b"wtpt": white}
    if space == "GRAY":
        tags[b"kTRC"] = _tag(b"curv", struct.pack(">IH", 1, round(1.8 * 256)))
    else:
        for name, colour in zip(b"rgb", _P3_COLOURS, strict=True):
            tags[bytes((name,)) + b"XYZ"] = _xyz(*colour)
            tags[bytes((name,)) + b"TRC"] = curve
    return _join_profile(space.encode(), tags)


#: What red, green and blue of Display P3 are in CIE XYZ under D50, and the curve of sRGB (IEC 61966-2-1).
_P3_COLOURS = ((0.51512, 0.24120, -0.00105), (0.29198, 0.69225, 0.04189), (0.15710, 0.06657, 0.78407))
_SRGB_CURVE = (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)


def _fixed(number: float) -> int:
    return round(number * 65_536)


def _tag(kind: bytes, data: bytes) -> bytes:
    return (kind + bytes(4) + data).ljust(-(-(8 + len(data)) // 4) * 4, b"\0")


def _xyz(*numbers: float) -> bytes:
    return _tag(b"XYZ ", struct.pack(">3i", *map(_fixed, numbers)))


def _join_profile(space: bytes, tags: dict[bytes, bytes]) -> bytes:
    offset = 128 + 4 + 12 * len(tags)
    table, data = b"", b""
    for name, body in tags.items():
        table += name + struct.pack(">II", offset + len(data), len(body))
        data += body
    size = offset + len(data)
    head = struct.pack(
        ">I4sI4s4s4s12s4s", size, b"lcms", 0x02400000, b"mntr", space, b"XYZ ", bytes(12), b"acsp"
    )
    head += bytes(28) + struct.pack(">3i", *map(_fixed, (0.9642, 1.0, 0.8249)))
    return head.ljust(128, b"\0") + struct.pack(">I", len(tags)) + table + data
