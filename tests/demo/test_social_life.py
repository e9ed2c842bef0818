"""What the demo's people do: the same for a seed, and counted right everywhere."""

from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone
from PIL import Image

from apps.accounts.models import User
from apps.blog import heat
from apps.blog.feed import feed_positions
from apps.blog.models import Comment, Like, Note, Photo
from apps.coupons.models import Voucher
from apps.demo import city, logins, people
from apps.demo.social import note_texts, notes
from apps.follows.models import Standing
from apps.shops.models import Shop
from apps.signins import clock
from apps.signins.models import Standing as SignInStanding
from apps.signins.streaks import days
from tests.demo.conftest import FreshCity
from tests.differences import find_differences

pytestmark = [pytest.mark.django_db, pytest.mark.wide]


@pytest.fixture
def customer(fresh_city: FreshCity, db: None) -> User:
    return User.objects.get(phone=logins.CUSTOMER_PHONE)


def test_every_shop_has_notes_with_pictures_that_are_there(fresh_city: FreshCity) -> None:
    published = Note.objects.published()
    assert fresh_city.made.notes == published.count() > 150
    assert set(published.values_list("shop", flat=True)) == set(range(1, 61))
    assert published.exclude(photos=None).distinct().count() > 50
    for photo in Photo.objects.all():
        for name, width in ((photo.name, photo.width), (f"{photo.name}-card", 480)):
            with default_storage.open(f"notes/{name}.webp") as file, Image.open(file) as image:
                assert (image.format, image.width) == ("WEBP", width)


def test_the_pictures_of_people_and_shops_are_there(fresh_city: FreshCity) -> None:
    stored = [*User.objects.exclude(avatar="").values_list("avatar", flat=True)]
    assert len(stored) == people.PEOPLE_COUNT * 3 // 4
    stored += Shop.objects.exclude(picture="").values_list("picture", flat=True)
    stored += Voucher.objects.exclude(picture="").values_list("picture", flat=True)
    for name in set(stored):
        with default_storage.open(name) as file, Image.open(file) as image:
            assert image.format == "WEBP"


def test_counts_and_heat_are_what_the_rows_say(fresh_city: FreshCity) -> None:
    assert fresh_city.made.likes == Like.objects.count() > 500
    assert fresh_city.made.comments == Comment.objects.count() > 100
    for note in Note.objects.published():
        assert (note.likes, note.comments) == (note.like_rows.count(), note.comment_rows.count())
        assert note.heat == pytest.approx(heat.score(note.likes, note.published_at))
    assert find_differences("follows") == []
    assert find_differences("signins") == []


def test_nothing_happens_in_the_future_or_before_its_cause(fresh_city: FreshCity) -> None:
    now = timezone.now()
    assert not Note.objects.filter(published_at__gt=now).exists()
    for row in [*Like.objects.select_related("note"), *Comment.objects.select_related("note", "parent")]:
        assert row.note.published_at
        assert row.note.published_at <= row.created_at <= now
    for reply in Comment.objects.exclude(parent=None).select_related("parent"):
        assert reply.parent
        assert reply.parent.created_at <= reply.created_at


def test_shops_have_the_score_of_their_notes(fresh_city: FreshCity) -> None:
    for shop in Shop.objects.all():
        assert shop.reviews == Note.objects.published().filter(shop=shop).count()
    assert find_differences("blog.scores") == []
    assert find_differences("blog.dishes") == []
    assert Shop.objects.filter(reviews__gt=5, taste__gt=0, dishes__recommended__gt=1).exists()


def test_the_customer_has_a_social_life(customer: User) -> None:
    assert Standing.objects.for_user(customer.pk).following == 12
    assert Standing.objects.for_user(customer.pk).followers > 5
    assert feed_positions.of_reader(customer.pk).count() > 60
    assert customer.likes.count() > 3
    mine = Note.objects.filter(author=customer)
    assert sorted(mine.values_list("status", flat=True)) == ["draft", "published", "published"]


def test_the_customer_has_not_checked_in_today(customer: User) -> None:
    standing = SignInStanding.objects.get(pk=customer.pk)
    assert standing.last_day == clock.today() - days.ONE_DAY
    assert standing.current(clock.today()) == 6
    assert standing.points > 50


def test_somebody_is_known_to_everybody(fresh_city: FreshCity) -> None:
    most = Standing.objects.order_by("-followers").first()
    assert most
    assert most.followers > 150


def test_notes_are_of_the_last_month_and_in_both_languages(fresh_city: FreshCity) -> None:
    published, now = Note.objects.published().exclude(title=""), timezone.now()
    assert not published.filter(published_at__lt=now - timedelta(days=31)).exists()
    assert published.filter(published_at__gt=now - timedelta(days=2)).count() > 5
    chinese = {title for titles in note_texts.CHINESE.titles.values() for title in titles}
    share = published.filter(title__in=chinese).count() / published.count()
    assert 0.15 < share < 0.35


def seed(count: int = 60, *, number: int = city.DEFAULT_SEED) -> city.SeedCounts:
    return city.seed_city(count, seed=number, progress=lambda *_: None)


def test_the_same_seed_writes_the_same_notes(fresh_city: FreshCity) -> None:
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


def test_a_larger_city_adds_notes_and_keeps_the_old(
    fresh_city: FreshCity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notes, "KNOWN_SHOPS", 75)
    before = set(Note.objects.values_list("pk", flat=True))
    assert seed(80).notes > 30
    assert before < set(Note.objects.values_list("pk", flat=True))
    assert not Photo.objects.filter(note__shop__gt=notes.KNOWN_SHOPS).exists()
