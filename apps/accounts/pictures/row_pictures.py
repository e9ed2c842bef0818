"""The picture of a row in SQL: one file under a random name, and beside it the widths that pages show."""

from collections.abc import Mapping
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.core.files.base import ContentFile
from django.db import models
from django.db.models.fields.files import ImageFieldFile

from apps.accounts.pictures import files
from apps.queues import owed


class DrawnFile(ContentFile[bytes]):
    """A picture that was drawn to be stored, with its cards by their width."""

    def __init__(self, whole: bytes, name: str, cards: Mapping[int, bytes]) -> None:
        super().__init__(whole, name)
        self.cards = cards


class _RowPicture(ImageFieldFile):
    def save(self, name: str, content: Any, save: bool = True) -> None:
        """Store a picture, and its cards where `?width=` finds them."""
        cards: Mapping[int, bytes] = content.cards if isinstance(content, DrawnFile) else {}
        folder = self.field.generate_filename(self.instance, name).removesuffix(".webp")
        for width, card in cards.items():
            self.storage.save(f"{folder}-{width}.webp", ContentFile(card))
        super().save(name, content, save)


class RowPictureField(models.ImageField):
    """An ImageField that also stores the cards of a DrawnFile."""

    attr_class = _RowPicture

    def deconstruct(self) -> Any:
        """As an ImageField: what stands in SQL is the same."""
        name, _path, args, options = super().deconstruct()
        return name, "django.db.models.ImageField", args, options


def address(url: str, width: int) -> str:
    """The address of a row's picture in a width that was drawn with it."""
    return f"{url}?width={width}"


def lock_stored(row: Any) -> str:
    """The name of the `picture` that SQL has for a row, or ""; locks the row until the transaction ends."""
    rows = type(row)._default_manager.select_for_update().filter(pk=row.pk)
    return rows.values_list("picture", flat=True).first() or ""


def delete_after_commit(model: type[models.Model], name: str) -> None:
    """Delete a picture's files once the transaction commits, unless a row of the model has it then."""
    if name:
        owed.run_after_commit(delete_unused, ContentType.objects.get_for_model(model).pk, name)


def delete_unused(content_type_id: int, name: str) -> None:
    """Delete a picture's files unless a row of the model has it."""
    model: Any = ContentType.objects.get_for_id(content_type_id).model_class()
    # A sale that is sold once more has the picture of the first.
    if not model._default_manager.filter(picture=name).exists():
        files.delete_sizes(name)
