"""Stores and deletes the photos that shops show of themselves; the cached shop follows after the commit."""

from collections.abc import Iterable

from django.db import transaction

from apps.accounts.pictures import files
from apps.accounts.pictures.drawing import Drawn
from apps.queues import owed
from apps.shops import shop_cache
from apps.shops.models import ShopPhoto

#: The folder of their files in the storage.
FOLDER = "shops"
MAX_SHOP_PHOTOS = 30


def store(photo: ShopPhoto, drawn: Drawn) -> ShopPhoto:
    """Save a new photo with its files, a picture drawn in two sizes; Problem 503 when the disk refuses."""
    photo.width, photo.height = drawn.width, drawn.height
    try:
        files.write_files(FOLDER, photo.name, drawn)
        save(photo)
    except BaseException:
        files.discard_files(FOLDER, photo.name)
        raise
    return photo


def save(photo: ShopPhoto) -> None:
    """Save a photo's captions and position."""
    with transaction.atomic():
        photo.save()
        owed.run_after_commit(shop_cache.invalidate, photo.shop_id)


def delete(photos: Iterable[ShopPhoto]) -> None:
    """Delete the photos' rows now and their files after the commit."""
    gone = {photo.pk: photo for photo in photos}
    with transaction.atomic():
        ShopPhoto.objects.filter(pk__in=gone).delete()
        for photo in gone.values():
            owed.run_after_commit(shop_cache.invalidate, photo.shop_id)
        owed.run_after_commit(files.delete_files, FOLDER, [photo.name for photo in gone.values()])
