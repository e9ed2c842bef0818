"""Pictures as phones write them: odd metadata refuses none, broken pixels do, and colours are right."""

import struct
import zlib
from collections.abc import Callable
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from apps.accounts.pictures import drawing, uploads
from apps.accounts.pictures.drawing import Drawn, Shape, TooManyPixels
from apps.accounts.profiles import avatars
from tests import sample_pictures as samples

#: Small, and with room for JPEGs alone.
SHAPE = Shape(side=800, most_other_pixels=100 * 90)
SIZE = (120, 80)
ORIENTATION = samples.ORIENTATION


def sample(*, size: tuple[int, int] = SIZE, mode: str = "RGB") -> Image.Image:
    """Red, with a blue corner at the top left."""
    picture = Image.new(mode, size, "red")
    picture.paste("blue", (0, 0, size[0] // 2, size[1] // 2))
    return picture


def draw(content: bytes, shape: Shape = uploads.SHOWN) -> Image.Image:
    return opened(drawing.draw(content, shape))


def opened(drawn: Drawn, number: int = 0) -> Image.Image:
    return Image.open(BytesIO(drawn.files[number])).convert("RGB")


def colour_at(picture: Image.Image, x: int, y: int) -> tuple[int, int, int]:
    red, green, blue = picture.getpixel((x, y))  # type: ignore[misc]
    return red, green, blue


def where_is_blue(picture: Image.Image) -> set[str]:
    width, height = picture.size
    corners = {
        "top left": (8, 8),
        "top right": (width - 9, 8),
        "bottom left": (8, height - 9),
        "bottom right": (width - 9, height - 9),
    }
    found = {name: colour_at(picture, *place) for name, place in corners.items()}
    return {name for name, (red, _green, blue) in found.items() if blue > 150 > red}


def turned(number: int, *, kind: int = 3, order: str = "<", beside: tuple[bytes, ...] = ()) -> bytes:
    """EXIF with an orientation, of any type of number, and other entries before it."""
    packed = struct.pack(order + {1: "B", 3: "H", 4: "I", 8: "h", 9: "i"}[kind], number)
    return samples.make_exif(
        *beside, samples.make_exif_entry(ORIENTATION, kind, 1, packed, order), order=order
    )


JPEG = samples.pixels_of(sample(), "JPEG", quality=95)
PNG = samples.pixels_of(sample(), "PNG")
WEBP = samples.pixels_of(sample(), "WEBP", quality=95)
WRITTEN: dict[str, Callable[[bytes], bytes]] = {
    "JPEG": lambda exif: samples.insert_segment(JPEG, 0xE1, b"Exif\0\0" + exif),
    "PNG": lambda exif: samples.insert_chunk(PNG, b"eXIf", exif),
    "WEBP": lambda exif: samples.pixels_of(sample(), "WEBP", quality=95, exif=b"Exif\0\0" + exif),
}
CORNERS = {
    1: "top left", 2: "top right", 3: "bottom right", 4: "bottom left",
    5: "top left", 6: "top right", 7: "bottom right", 8: "bottom left",
}  # fmt: skip
MAKE_AS_RATIONAL = samples.make_exif_entry(0x010F, 5, 1, struct.pack("<I", 0x7FFFFFFF))
#: EXIF with the orientation 6 that something is wrong with.
ODD_EXIF = {
    "little endian": turned(6),
    "big endian": turned(6, order=">"),
    "Make as a rational": turned(6, beside=(MAKE_AS_RATIONAL,)),
    "an unknown type of entry": turned(6, beside=(samples.make_exif_entry(0x0110, 99, 7, b"x"),)),
    "a text of four gigabytes": turned(
        6, beside=(samples.make_exif_entry(0x0110, 2, 0xFFFFFFFF, b"\xff" * 4),)
    ),
    "as a byte": turned(6, kind=1),
    "as a long": turned(6, kind=4),
    "as a signed short": turned(6, kind=8),
    "more entries than there are": samples.make_exif(
        samples.make_exif_entry(ORIENTATION, 3, 1, b"\6\0"), count=0xFFFF
    ),
    "twice": turned(6) + turned(3),
    "no directory behind it": turned(6)[:22],
}


@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("number", CORNERS)
def test_a_picture_is_turned_upright(kind: str, number: int) -> None:
    picture = draw(WRITTEN[kind](turned(number)))
    assert picture.size == (SIZE if number < 5 else SIZE[::-1])
    assert where_is_blue(picture) == {CORNERS[number]}


@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("about", ODD_EXIF)
def test_an_orientation_is_read_by_its_number_alone(kind: str, about: str) -> None:
    picture = draw(WRITTEN[kind](ODD_EXIF[about]))
    assert (picture.size, where_is_blue(picture)) == (SIZE[::-1], {"top right"})


@pytest.mark.parametrize("kind", WRITTEN)
@given(exif=st.binary(max_size=80) | st.binary(max_size=60).map(lambda rest: b"II*\0\x08\0\0\0" + rest))
def test_no_exif_refuses_a_picture(kind: str, exif: bytes) -> None:
    assert draw(WRITTEN[kind](exif or b"\0")).size in {SIZE, SIZE[::-1]}


def test_an_orientation_that_xmp_alone_has_counts() -> None:
    xmp = b'<rdf:Description tiff:Orientation="6"/>'
    jpeg = samples.insert_segment(JPEG, 0xE1, b"http://ns.adobe.com/xap/1.0/\0" + xmp)
    png = samples.insert_chunk(PNG, b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + xmp)
    webp = samples.pixels_of(sample(), "WEBP", quality=95, xmp=xmp)
    for content in (jpeg, png, webp):
        assert where_is_blue(draw(content)) == {"top right"}


def make_mpo() -> bytes:
    return samples.pixels_of(
        sample(), "MPO", quality=95, save_all=True, append_images=[sample(size=(40, 30))]
    )


def break_list_of_pictures() -> bytes:
    assert b"MPF\0II*\0" in make_mpo()
    return make_mpo().replace(b"MPF\0II*\0", b"MPF\0XX*\0")


#: Name -> a picture that is drawn as if nothing were beside its pixels.
ODD_METADATA: dict[str, Callable[[], bytes]] = {
    "a JPEG with a second picture": make_mpo,
    "whose list of pictures is broken": break_list_of_pictures,
    "whose second picture is cut": lambda: make_mpo()[:-600],
    "a JPEG with a broken profile": lambda: samples.insert_segment(
        JPEG, 0xE2, b"ICC_PROFILE\0\x01\x01" + b"\xff" * 300
    ),
    "the second half of a profile": lambda: samples.insert_segment(
        JPEG, 0xE2, b"ICC_PROFILE\0\x02\x02" + samples.make_profile()[200:]
    ),
    "a profile without contents": lambda: samples.insert_segment(JPEG, 0xE2, b"ICC_PROFILE\0"),
    "a short JFIF": lambda: samples.insert_segment(JPEG, 0xE0, b"JFIF\0"),
    "a short Adobe mark": lambda: samples.insert_segment(JPEG, 0xEE, b"Adobe"),
    "a broken Photoshop block": lambda: samples.insert_segment(
        JPEG, 0xED, b"Photoshop 3.0\x008BIM\x04\x04\x00\xff\xff"
    ),
    "a long comment": lambda: samples.insert_segment(JPEG, 0xFE, b"x" * 60_000),
    "thousands of segments": lambda: JPEG[:2] + b"\xff\xef\x00\x04ab" * 5_000 + JPEG[2:],
    "filling between segments": lambda: JPEG[:2] + b"\xff" * 9 + JPEG[3:],
    "rubbish between segments": lambda: JPEG[:20] + b"\0\0\0" + JPEG[20:],
    "rubbish at the end": lambda: JPEG + b"\0" * 5_000 + b"<script>",
    "a CMYK profile of an RGB picture": lambda: samples.insert_segment(
        JPEG, 0xE2, b"ICC_PROFILE\0\x01\x01" + samples.make_profile().replace(b"RGB XYZ ", b"CMYKXYZ ")
    ),
    "a text of a PNG that unpacks to 64 MB": lambda: samples.insert_bomb(PNG),
    "a text of 1.2 MB, packed": lambda: samples.insert_chunk(
        PNG, b"zTXt", b"Comment\0\0" + zlib.compress(bytes(range(256)) * 4_800)
    ),
    "a text of 3 MB": lambda: samples.insert_chunk(PNG, b"tEXt", b"Comment\0" + b"x" * 3_000_000),
    "a text in no language": lambda: samples.insert_chunk(PNG, b"iTXt", b"x"),
    "a text whose checksum is wrong": lambda: samples.insert_chunk(PNG, b"tEXt", b"a\0b", checksum=1),
    "a profile of a PNG that unpacks to 64 MB": lambda: samples.insert_chunk(
        PNG, b"iCCP", b"p\0\0" + zlib.compress(bytes(64 << 20))
    ),
    "a profile that is not packed": lambda: samples.insert_chunk(PNG, b"iCCP", b"p\0\0abc"),
    "sizes of a PNG that are none": lambda: samples.insert_chunk(PNG, b"pHYs", b"\0"),
    "colours of a PNG that are none": lambda: samples.insert_chunk(PNG, b"cHRM", b"\0"),
    "an animation without frames": lambda: samples.insert_chunk(PNG, b"acTL", b"\0" * 8),
    "XMP that is none": lambda: samples.pixels_of(sample(), "WEBP", quality=95, xmp=b"\xff" * 99),
    "a broken profile of a WebP": lambda: samples.pixels_of(
        sample(), "WEBP", quality=95, icc_profile=b"\xff" * 99
    ),
}


@pytest.mark.parametrize("about", ODD_METADATA)
def test_metadata_never_refuses_a_picture(about: str) -> None:
    picture = draw(ODD_METADATA[about]())
    assert where_is_blue(picture) == {"top left"}


def test_a_second_picture_inside_leaves_a_jpeg_its_limits() -> None:
    assert draw(make_mpo(), SHAPE).size == draw(JPEG, SHAPE).size == SIZE
    with pytest.raises(TooManyPixels):
        draw(PNG, SHAPE)
    with pytest.raises(TooManyPixels):
        draw(make_mpo(), Shape(side=64, most_jpeg_pixels=100))


BROKEN = {
    "a JPEG": JPEG, "a progressive JPEG": samples.pixels_of(sample(), "JPEG", progressive=True), "a PNG": PNG,
    "a WebP": WEBP, "a JPEG with EXIF": WRITTEN["JPEG"](turned(6)),
}  # fmt: skip


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("about", BROKEN)
def test_broken_pixels_refuse_a_picture(about: str, share: float) -> None:
    whole = BROKEN[about]
    with pytest.raises(drawing.BROKEN_FILE_ERRORS):
        draw(whole[: int(len(whole) * share)])


def test_pixels_of_a_png_with_a_wrong_checksum_refuse_it() -> None:
    at = PNG.index(b"IDAT") + 8
    with pytest.raises(drawing.BROKEN_FILE_ERRORS):
        draw(PNG[:at] + bytes((PNG[at] ^ 0xFF,)) + PNG[at + 1 :])


def is_near(colour: tuple[int, int, int], right: tuple[int, int, int], off: int = 4) -> bool:
    return all(abs(one - other) <= off for one, other in zip(colour, right, strict=True))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize(
    ("mode", "painted", "right"),
    [
        ("RGB", (100, 180, 100), (65, 182, 90)),
        ("RGB", (128, 128, 128), (128, 128, 128)),
        ("P", (100, 180, 100), (65, 182, 90)),
    ],
)
def test_a_colour_profile_is_applied(
    kind: str, mode: str, painted: tuple[int, int, int], right: tuple[int, int, int]
) -> None:
    picture = Image.new("RGB", SIZE, painted)
    picture = (
        picture.convert("P", palette=Image.Palette.ADAPTIVE) if mode == "P" and kind == "PNG" else picture
    )
    content = samples.pixels_of(picture, kind, quality=95, icc_profile=samples.make_profile())
    assert is_near(colour_at(draw(content), 60, 40), right)
    assert draw(content, avatars.SHAPE).size == (avatars.SIDE_PIXELS, avatars.SIDE_PIXELS)


def test_a_picture_for_print_is_drawn_in_its_colours() -> None:
    cyan = Image.new("CMYK", SIZE, (255, 0, 0, 0))
    red, green, blue = colour_at(draw(samples.pixels_of(cyan, "JPEG", quality=95)), 60, 40)
    assert red < 60
    assert min(green, blue) > 150


def test_a_profile_of_grey_and_one_beside_transparency_are_applied() -> None:
    grey = samples.pixels_of(Image.new("L", SIZE, 128), "PNG", icc_profile=samples.make_profile("GRAY"))
    assert is_near(colour_at(draw(grey), 60, 40), (145, 145, 145), 6)
    clear = Image.new("RGBA", SIZE, (100, 180, 100, 255))
    clear.paste((100, 180, 100, 0), (0, 0, 60, 80))
    content = samples.pixels_of(clear, "PNG", icc_profile=samples.make_profile())
    assert colour_at(draw(content), 20, 40) == (255, 255, 255)
    assert is_near(colour_at(draw(content), 100, 40), (65, 182, 90))


@pytest.mark.parametrize(
    ("shade", "right"), [(0, 0), (0x0100, 1), (0x8000, 128), (0xC0FF, 192), (0xFFFF, 255)]
)
def test_grey_of_sixteen_bits_is_scaled(shade: int, right: int) -> None:
    content = samples.pixels_of(Image.new("I;16", SIZE, shade), "PNG")
    for picture in (content, samples.insert_chunk(content, b"tRNS", b"\x12\x34")):
        assert is_near(colour_at(draw(picture), 60, 40), (right, right, right), 1)


@pytest.mark.parametrize(
    ("sent", "drawn"),
    [
        ((1080, 14_000), (720, 9_333)),
        ((14_000, 1080), (9_333, 720)),
        ((600, 9_000), (600, 9_000)),
        ((1080, 2_400), (720, 1_600)),
        ((2_000, 1_500), (1_600, 1_200)),
        ((400, 39_000), (164, 16_000)),
    ],
)
def test_a_strip_can_be_read(sent: tuple[int, int], drawn: tuple[int, int]) -> None:
    made = drawing.draw(samples.pixels_of(Image.new("L", sent, 200), "PNG"), uploads.SHOWN)
    assert (made.width, made.height) == opened(made).size == drawn
    width, height = opened(made, 1).size
    assert width == min(uploads.CARD_PIXELS, drawn[0])
    assert height <= drawing.MAX_CARD_HEIGHT


def test_a_strip_fills_a_square_without_being_blown_up() -> None:
    strip = Image.new("RGB", (1080, 8_000), "red")
    for at in range(0, 8_000, 20):
        strip.paste("blue", (0, at, 1080, at + 10))
    avatar = draw(samples.pixels_of(strip, "PNG"), Shape(side=256, square=256))
    assert avatar.size == (256, 256)


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
def test_a_moving_picture_moves_in_its_large_file_alone(kind: str) -> None:
    frames = [sample(), Image.new("RGB", SIZE, "green")]
    content = samples.pixels_of(frames[0], kind, save_all=True, append_images=frames[1:], duration=100)
    content = samples.pixels_of(frames[0], kind, save_all=True, append_images=frames[1:], duration=100)
    assert where_is_blue(draw(content, uploads.OF_A_ROW)) == {"top left"}
    assert [frames_of(file) for file in drawing.draw(content, uploads.SHOWN).files] == [2, 1]


def frames_of(file: bytes) -> int:
    with Image.open(BytesIO(file)) as picture:
        return int(getattr(picture, "n_frames", 1))


def moving_picture(kind: str, frames: int, *, size: tuple[int, int] = SIZE, ms: int = 100) -> bytes:
    """A picture whose frames have a colour each, another than those beside."""
    colours = ("red", "blue", "yellow")
    pictures = [Image.new("RGB", size, colours[number % 3]) for number in range(frames)]
    return samples.pixels_of(pictures[0], kind, save_all=True, append_images=pictures[1:], duration=ms)


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
@pytest.mark.parametrize(
    ("frames", "ms", "plays", "drawn_frames"),
    [(3, 200, 8, 3), (2, 4_000, 1, 2), (12, 1_000, 1, 5), (200, 20, 1, 150), (3, 0, 16, 3)],
)
def test_a_moving_picture_plays_for_at_most_five_seconds(
    kind: str, frames: int, ms: int, plays: int, drawn_frames: int
) -> None:
    file = drawing.draw(moving_picture(kind, frames, ms=ms), uploads.SHOWN).files[0]
    with Image.open(BytesIO(file)) as large:
        assert (large.info["loop"], frames_of(file)) == (plays, drawn_frames)


def test_a_large_moving_picture_is_drawn_small_and_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "MAX_MOVING_PIXELS", 6 * 700 * 700)
    drawn = drawing.draw(moving_picture("GIF", 10, size=(700, 700)), uploads.SHOWN)
    assert (drawn.width, drawn.height, frames_of(drawn.files[0])) == (640, 640, 6)


def test_a_movement_of_many_bytes_is_a_still_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    content = moving_picture("GIF", 3)
    monkeypatch.setattr(drawing, "MAX_MOVING_BYTES", 10)
    assert frames_of(drawing.draw(content, uploads.SHOWN).files[0]) == 1


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
@pytest.mark.parametrize("share", [0.9, 0.5])
def test_a_movement_ends_before_its_broken_frame(kind: str, share: float) -> None:
    noise = [Image.effect_noise((90, 60), 90).convert("RGB") for _ in range(6)]
    whole = samples.pixels_of(noise[0], kind, save_all=True, append_images=noise[1:], duration=100)
    try:
        drawn = drawing.draw(whole[: int(len(whole) * share)], uploads.SHOWN)
    except drawing.BROKEN_FILE_ERRORS:
        assert kind == "WEBP"  # which its library reads as a whole
    else:
        assert 2 <= frames_of(drawn.files[0]) < 6
