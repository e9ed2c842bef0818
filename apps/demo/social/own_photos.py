"""Makes photos that some of the first shops show of themselves, from pictures that their notes have too."""

from collections.abc import Iterator
from hashlib import sha256

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from apps.accounts.pictures import files
from apps.demo.pictures import album
from apps.demo.social import note_texts
from apps.shops.models import Shop, ShopPhoto
from apps.shops.photos import shop_photos

#: Every so many shops of the first ones has photos of its own: some 20 shops and 4 MB.
EVERY, MAX_SHOPS, PHOTOS_EACH = 3, 60, 2


def make(count: int, *, seed: int) -> int:
    """Create the photos of shops without any; returns how many. Rendered motifs are reused."""
    numbers = range(EVERY, min(count, MAX_SHOPS) + 1, EVERY)
    shops = Shop.objects.filter(pk__in=numbers, photos=None).select_related("type").order_by("pk")
    made = ShopPhoto.objects.bulk_create(photo for shop in shops for photo in _build_photos(shop, seed))
    return len(made)


def store_file(path: str, content: bytes) -> None:
    """Store a picture, unless the file is there: it comes from an earlier demo and is the same."""
    if not default_storage.exists(path):
        default_storage.save(path, ContentFile(content))


def _build_photos(shop: Shop, seed: int) -> Iterator[ShopPhoto]:
    motifs = [motif for motif in album.MOTIFS[note_texts.theme_of_shop(shop)] if motif.wide]
    for position, motif in enumerate(motifs[:PHOTOS_EACH]):
        name = sha256(f"{seed}:shop:{shop.pk}:{position}".encode()).hexdigest()[:32]
        drawn = album.render(motif)
        for suffix, content in (("", drawn.large), ("-card", drawn.card)):
            store_file(files.file_path(shop_photos.FOLDER, f"{name}{suffix}"), content)
        yield ShopPhoto(shop=shop, name=name, position=position, width=drawn.width, height=drawn.height)
