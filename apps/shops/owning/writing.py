"""Owners write their shops; the verbs behind the pages."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.accounts.pictures import uploads
from apps.accounts.profiles import suspensions
from apps.adminkit import history
from apps.shops import changes, hours
from apps.shops.hours import Schedule
from apps.shops.models import Shop, ShopPhoto
from apps.shops.photos import shop_photos
from apps.web.in_language import columns
from apps.web.problems import Problem


def save_texts(shop: Shop, changed: Sequence[str], user: User) -> None:
    """Save what an owner has changed; Problem 403 suspended."""
    suspensions.require_may_write(user)
    if changed:
        changes.save(shop, update_fields=changed)
        history.record_event(user.pk, str(shop), ", ".join(changed))


def save_schedule(shop: Shop, schedule: Schedule, user: User) -> None:
    """Save hours that a program sends, in place of any words; Problem 403 suspended."""
    shop.schedule = hours.dump(schedule)
    for column in columns("hours"):
        setattr(shop, column, "")
    save_texts(shop, ["schedule", *columns("hours")], user)


def add_photo(photo: ShopPhoto, picture: Any, user: User) -> ShopPhoto:
    """Store a photo behind the others; Problem 403, 413, 422 bad_picture or too_many, 429, 503."""
    suspensions.require_may_write(user)
    known = ShopPhoto.objects.filter(shop=photo.shop)
    if known.count() >= shop_photos.MAX_SHOP_PHOTOS:
        sentence = _("A shop has at most %(most)d photos. Remove one first.")
        raise Problem(422, "too_many", sentence % {"most": shop_photos.MAX_SHOP_PHOTOS})
    photo.position = max(known.values_list("position", flat=True), default=0) + 1
    drawn = uploads.redraw(picture, uploads.SHOWN, most_bytes=uploads.MAX_SHOWN_BYTES, owner_id=user.pk)
    return shop_photos.store(photo, drawn)


def delete_photo(shop: Shop, photo_id: int, user: User) -> bool:
    """Delete a photo of the shop; whether there was one. Problem 403 suspended."""
    suspensions.require_may_write(user)
    photos = list(ShopPhoto.objects.filter(shop=shop, pk=photo_id))
    shop_photos.delete(photos)
    return bool(photos)
