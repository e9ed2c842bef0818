"""What all factories share."""

from typing import Any, TypeVar, cast

from django.db.models import Model
from factory.django import DjangoModelFactory

Row = TypeVar("Row", bound=Model)


class RowFactory(DjangoModelFactory[Row]):
    """Writes rows and nothing else: no key of Redis, no file, no task, no message."""

    class Meta:
        abstract = True
        # What a declaration after the row does, it saves itself.
        skip_postgeneration_save = True

    @classmethod
    def bulk_create(cls, size: int, **fields: Any) -> list[Row]:
        """`size` rows by one statement, in order of id; the rows that they point to must be given.

        A field that differs from row to row is a declaration: `user=factory.Iterator(people)`.
        """
        rows = cls.build_batch(size, **fields)
        model = cast(type[Row], cls._meta.model)
        return model._default_manager.bulk_create(rows)
