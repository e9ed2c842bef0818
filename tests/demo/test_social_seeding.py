"""What people do in the demo: made once, the same for a seed, and counted right everywhere."""

from dataclasses import asdict
from io import BytesIO

import pytest
from django.db.models import Model
from PIL import Image

from apps.blog.models import Comment, Like, Note, Photo
from apps.demo import city
from apps.demo.pictures import album
from apps.demo.shop_kinds import KINDS
from apps.demo.social import note_texts, notes
from apps.follows.models import Follow, Standing
from apps.signins.models import PointEntry, SignInMonth
from apps.signins.models import Standing as SignInStanding

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.wide]
TABLES: tuple[type[Model], ...] = (
    *(Note, Photo, Like, Comment, Follow, Standing),
    *(SignInMonth, PointEntry, SignInStanding),
)


@pytest.fixture
def made() -> city.SeedCounts:
    return seed()


def seed(count: int = 60, *, number: int = city.DEFAULT_SEED) -> city.SeedCounts:
    return city.seed_city(count, seed=number, progress=lambda *_: None)


def test_a_second_run_changes_nothing(made: city.SeedCounts) -> None:
    before = snapshot()
    assert set(asdict(seed()).values()) == {0}
    assert snapshot() == before


def snapshot() -> list[object]:
    return [list(table._default_manager.order_by("pk").values()) for table in TABLES]


def test_the_same_seed_writes_the_same_notes(made: city.SeedCounts) -> None:
    once = sent_notifications()
    Photo.objects.all().delete()
    Note.objects.all().delete()
    seed()
    assert sent_notifications() == once
    Photo.objects.all().delete()
    Note.objects.all().delete()
    seed(number=7)
    assert sent_notifications() != once


def sent_notifications() -> list[str]:
    names = ("shop", "author__phone", "title", "text", "rating", "likes", "comments", "photos__name")
    return sorted(map(repr, Note.objects.values_list(*names)))


def test_a_larger_city_adds_notes_and_keeps_the_old(made: city.SeedCounts) -> None:
    before = set(Note.objects.values_list("pk", flat=True))
    assert seed(200).notes > 30
    assert before < set(Note.objects.values_list("pk", flat=True))
    assert not Photo.objects.filter(note__shop__gt=notes.KNOWN_SHOPS).exists()


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
