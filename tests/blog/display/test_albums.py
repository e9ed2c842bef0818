"""The album of a shop: its own photos, and those of its notes."""

from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from PIL import Image

from apps.accounts.models import User
from apps.accounts.pictures.drawing import Drawn
from apps.blog.display import note_page
from apps.blog.models import Note
from apps.blog.writing import notes
from apps.shops import changes, photos, shop_cache
from apps.shops.models import Shop, ShopPhoto
from tests import markup
from tests.blog import makers
from tests.sample_pictures import make_picture
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db


def own_photo(shop: Shop, caption: str = "The room") -> ShopPhoto:
    """A photo of the shop's own, with its files."""
    photo = ShopPhoto(shop=shop, caption_en=caption)
    return photos.store(photo, Drawn(400, 300, (b"large", b"card")))


def cached(shop: Shop) -> Shop:
    shops.run_on_commit()
    found = shop_cache.get(shop.pk)
    assert found
    return found


def test_the_shops_own_photos_come_first_then_those_of_published_notes(alice: User) -> None:
    older = makers.note(alice, photos=2, title="Older")
    newer = makers.note(alice, photos=1, title="Newer")
    makers.note(alice, photos=3, status=Note.Status.DRAFT)
    own = own_photo(older.shop)
    album = note_page.load_leading(cached(older.shop))
    assert (album.total, album.has_more) == (4, False)
    assert album.lead
    assert album.lead.url == own.url
    assert [photo.caption for photo in album.others] == ["Newer", "Older", "Older"]
    assert [photo.note for photo in album.others] == [newer.pk, older.pk, older.pk]
    notes.hide(older)
    assert note_page.load_leading(cached(older.shop)).total == 2


@pytest.mark.both_databases
def test_the_lead_picture_is_the_shops_own_photo_or_one_of_its_best_note(alice: User, client: Client) -> None:
    best = makers.note(alice, photos=2, rating=4, likes=3)
    shop = best.shop
    makers.note(alice, shop=shop, photos=1, rating=5, likes=2)
    worst = makers.note(alice, shop=shop, photos=1, rating=1, likes=9)
    first, _second = best.photos.order_by("position")
    album = note_page.load_leading(cached(shop))
    assert album.lead
    assert album.lead.photo == first.pk
    assert len({album.lead, *album.others}) == album.total == 4
    assert f"{first.name}-card.webp 480w, " in client.get(shop.get_absolute_url()).content.decode()
    own = own_photo(shop)
    album = note_page.load_leading(cached(shop))
    assert album.lead
    assert album.lead.url == own.url
    photos.delete(ShopPhoto.objects.all())
    Note.objects.exclude(pk=worst.pk).delete()
    cover = f'src="{shop.lead_url}"'
    album = note_page.load_leading(cached(shop))
    assert (album.lead, len(album.others)) == (None, 1)
    assert cover in client.get(shop.get_absolute_url()).content.decode()


def test_an_uploaded_picture_leads_beside_the_whole_album(alice: User) -> None:
    shop = makers.shop(picture="shops/front.webp")
    makers.note(alice, shop=shop, photos=5)
    album = note_page.load_leading(cached(shop))
    assert album.lead
    assert album.lead.url.endswith("front.webp")
    assert (len(album.others), album.total, album.has_more) == (4, 5, True)


@pytest.mark.both_databases
def test_the_pages_of_an_album_hold_each_photo_once_and_cost_the_same(client: Client, alice: User) -> None:
    shop = makers.shop()
    for _ in range(6):
        makers.note(alice, shop=shop, photos=9)
    own_photo(shop)
    path, seen, costs = f"/api/shops/{shop.pk}/photos", list[str](), list[int]()
    address = path
    while address:
        with CaptureQueriesContext(connection) as queries:
            page = client.get(address).json()
        seen += [item["url"] for item in page["items"]]
        costs.append(len(queries))
        address = f"{path}?cursor={page['next']}" if page["next"] else ""
    assert len(seen) == len(set(seen)) == 55
    assert costs[1:] == [2, 2]
    assert client.get(f"{path}?cursor=zzz").status_code == 422


def test_the_shops_page_leads_to_its_album(client: Client, alice: User) -> None:
    note = makers.note(alice, photos=9, title="Soup & bread")
    album = f"/shops/{note.shop_id}/photos/"
    page = markup.compact(client.get(note.shop.get_absolute_url()).content)
    assert "9 photos" in page
    assert f'href="{album}"' in page
    wall = markup.compact(client.get(album).content)
    assert wall.count("data-photo ") == 9
    assert f'data-caption="Soup &amp; bread" data-note="{note.get_absolute_url()}"' in wall
    assert "No photos yet" in markup.compact(client.get(f"/shops/{makers.shop('Bare').pk}/photos/").content)


@pytest.mark.both_databases
def test_a_manager_uploads_captions_and_deletes_photos(admin_client: Client) -> None:
    shop = makers.shop()
    page = f"/admin/shops/shop/{shop.pk}/change/"
    form = admin_client.get(page).context["adminform"].form
    kept = {name: form[name].value() or "" for name in form.fields if name != "picture"}
    kept |= {"members-TOTAL_FORMS": 0, "members-INITIAL_FORMS": 0}
    file = SimpleUploadedFile("room.jpg", make_picture(), "image/jpeg")
    rows = {"photos-TOTAL_FORMS": 1, "photos-INITIAL_FORMS": 0, "photos-0-shop": shop.pk}
    sent = kept | rows | {"photos-0-picture": file, "photos-0-caption_en": "Room", "photos-0-position": 0}
    assert admin_client.post(page, sent).status_code == 302
    (photo,) = cached(shop).own_photos
    assert photo.caption == "Room"
    for url in (photo.url, photo.card_url):
        served = Image.open(BytesIO(b"".join(admin_client.get(url))))
        assert served.format == "WEBP"
    rows |= {"photos-INITIAL_FORMS": 1, "photos-0-id": photo.pk, "photos-0-position": 0}
    admin_client.post(page, kept | rows | {"photos-0-caption_en": "Hall"})
    assert cached(shop).own_photos[0].caption == "Hall"
    admin_client.post(page, kept | rows | {"photos-0-DELETE": "on"})
    assert list(cached(shop).own_photos) == []
    shops.run_on_commit()
    assert admin_client.get(photo.url).status_code == 404


def test_a_deleted_shop_leaves_no_files(client: Client) -> None:
    shop = makers.shop()
    photo = own_photo(shop)
    assert client.get(photo.url).status_code == 200
    changes.delete(shop)
    shops.run_on_commit()
    assert client.get(photo.url).status_code == 404
