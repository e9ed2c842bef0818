"""What people do in the demo: made once, the same for a seed, and counted right everywhere."""

from dataclasses import asdict
from datetime import timedelta
from io import BytesIO

import pytest
from django.core.files.storage import default_storage
from django.db.models import Model
from django.utils import timezone
from PIL import Image

from apps.accounts.models import User
from apps.blog import followed, heat
from apps.blog.models import Comment, Like, Note, Photo
from apps.demo import city, people
from apps.demo.kinds import KINDS
from apps.demo.pictures import album
from apps.demo.social import stories
from apps.follows import reconcile as follow_drift
from apps.follows.models import Follow, Standing
from apps.shops.models import Shop
from apps.signins import clock, days, reconcile
from apps.signins.models import PointEntry, SignInMonth
from apps.signins.models import Standing as SignInStanding

pytestmark = pytest.mark.django_db(transaction=True)
TABLES: tuple[type[Model], ...] = (
    *(Note, Photo, Like, Comment, Follow, Standing),
    *(SignInMonth, PointEntry, SignInStanding),
)


@pytest.fixture
def made() -> city.Made:
    return seed()


@pytest.fixture
def customer(made: city.Made) -> User:
    return User.objects.get(phone=people.CUSTOMER_PHONE)


def seed(count: int = 60, *, number: int = city.SEED) -> city.Made:
    return city.seed(count, seed=number, progress=lambda *_: None)


def test_every_shop_has_notes_with_pictures_that_are_there(made: city.Made) -> None:
    published = Note.objects.published()
    assert made.notes == published.count() > 150
    assert set(published.values_list("shop", flat=True)) == set(range(1, 61))
    assert not published.filter(photos=None).exists()
    for photo in Photo.objects.all():
        for name, width in ((photo.name, photo.width), (f"{photo.name}-card", 480)):
            with default_storage.open(f"notes/{name}.webp") as file, Image.open(file) as image:
                assert (image.format, image.width) == ("WEBP", width)


def test_a_second_run_changes_nothing(made: city.Made) -> None:
    before = snapshot()
    assert set(asdict(seed()).values()) == {0}
    assert snapshot() == before


def snapshot() -> list[object]:
    return [list(table._default_manager.order_by("pk").values()) for table in TABLES]


def test_the_same_seed_writes_the_same_notes(made: city.Made) -> None:
    once = told()
    Photo.objects.all().delete()
    Note.objects.all().delete()
    seed()
    assert told() == once
    Photo.objects.all().delete()
    Note.objects.all().delete()
    seed(number=7)
    assert told() != once


def told() -> list[str]:
    names = ("shop", "author__phone", "title", "text", "rating", "likes", "comments", "photos__name")
    return sorted(map(repr, Note.objects.values_list(*names)))


def test_a_larger_city_adds_notes_and_keeps_the_old(made: city.Made) -> None:
    before = set(Note.objects.values_list("pk", flat=True))
    assert seed(200).notes > 30
    assert before < set(Note.objects.values_list("pk", flat=True))
    assert not Note.objects.filter(shop__gt=150).exists()


def test_counts_and_heat_are_what_the_rows_say(made: city.Made) -> None:
    assert made.likes == Like.objects.count() > 500
    assert made.comments == Comment.objects.count() > 100
    for note in Note.objects.published():
        assert (note.likes, note.comments) == (note.like_rows.count(), note.comment_rows.count())
        assert note.heat == pytest.approx(heat.of(note.likes, note.published_at))
    assert list(follow_drift.drift()) == []
    assert reconcile.drift(fix=False) == []


def test_nothing_happens_in_the_future_or_before_its_cause(made: city.Made) -> None:
    now = timezone.now()
    assert not Note.objects.filter(published_at__gt=now).exists()
    for row in [*Like.objects.select_related("note"), *Comment.objects.select_related("note", "parent")]:
        assert row.note.published_at
        assert row.note.published_at <= row.created_at <= now
    for reply in Comment.objects.exclude(parent=None).select_related("parent"):
        assert reply.parent
        assert reply.parent.created_at <= reply.created_at


def test_shops_have_the_score_of_their_notes(made: city.Made) -> None:
    for shop in Shop.objects.all():
        notes = Note.objects.published().filter(shop=shop)
        assert shop.reviews == shop.imported_reviews + notes.count()


def test_the_customer_has_a_social_life(customer: User) -> None:
    assert Standing.objects.of(customer.pk).following == 12
    assert Standing.objects.of(customer.pk).followers > 5
    assert followed.notes(customer.pk).count() > 60
    assert customer.likes.count() > 3
    mine = Note.objects.filter(author=customer)
    assert sorted(mine.values_list("status", flat=True)) == ["draft", "published", "published"]


def test_the_customer_has_not_signed_in_today(customer: User) -> None:
    standing = SignInStanding.objects.get(pk=customer.pk)
    assert standing.last_day == clock.today() - days.DAY
    assert standing.current(clock.today()) == 6
    assert standing.points > 50


def test_somebody_is_known_to_everybody(made: city.Made) -> None:
    most = Standing.objects.order_by("-followers").first()
    assert most
    assert most.followers > 150


def test_notes_are_of_the_last_month_and_in_both_languages(made: city.Made) -> None:
    published = Note.objects.published()
    assert published.filter(published_at__gt=timezone.now() - timedelta(days=31)).count() == made.notes
    assert published.filter(published_at__gt=timezone.now() - timedelta(days=2)).count() > 5
    chinese = {title for titles in stories.CHINESE.titles.values() for title in titles}
    share = published.filter(title__in=chinese).count() / made.notes
    assert 0.15 < share < 0.35


def test_every_shop_has_words_and_pictures() -> None:
    types, themes = {kind.slug for kind in KINDS}, {kind.slug for kind in KINDS} | {*stories.THEMES.values()}
    for voice in (stories.ENGLISH, stories.CHINESE):
        assert voice.details.keys() == types
        assert voice.titles.keys() == themes
    assert album.MOTIFS.keys() == themes
    words = {word for kind in KINDS for core, _ in kind.cores for word in stories.THEMES if word in core}
    assert words == stories.THEMES.keys()


def test_a_picture_stands_or_lies() -> None:
    drawn = album.drawn(album.MOTIFS["dumplings"][0])
    assert (drawn.width, drawn.height) == (900, 1200)
    with Image.open(BytesIO(drawn.card)) as card:
        assert card.size == (480, 640)
