"""What the demo's people write and photograph fits their shops."""

from io import BytesIO

from PIL import Image

from apps.demo.pictures import album
from apps.demo.shop_kinds import KINDS
from apps.demo.social import note_texts


def test_every_shop_has_words_and_pictures() -> None:
    types, themes = (
        {kind.slug for kind in KINDS},
        {kind.slug for kind in KINDS} | {*note_texts.THEMES.values()},
    )
    for voice in (note_texts.ENGLISH, note_texts.CHINESE):
        assert voice.details.keys() == types
        assert voice.titles.keys() == themes
    assert album.MOTIFS.keys() == themes
    words = {word for kind in KINDS for core, _ in kind.cores for word in note_texts.THEMES if word in core}
    assert words == note_texts.THEMES.keys()


def test_a_picture_stands_or_lies() -> None:
    drawn = album.render(album.MOTIFS["dumplings"][0])
    assert (drawn.width, drawn.height) == (900, 1200)
    with Image.open(BytesIO(drawn.card)) as card:
        assert card.size == (480, 640)
