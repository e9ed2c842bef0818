from typing import Any

import pytest
from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext
from factory import Trait

from tests import factories
from tests.factories import PhotoFactory, UserFactory
from tests.factories.rows import RowFactory

FACTORIES: list[type[RowFactory[Any]]] = [getattr(factories, name) for name in factories.__all__]

pytestmark = pytest.mark.django_db


def traits(of: type[RowFactory[Any]]) -> list[str]:
    return [name for name, value in of._meta.parameters.items() if isinstance(value, Trait)]


def test_every_factory_and_trait_makes_a_valid_row_and_leaves_redis_alone(round_trips: list[object]) -> None:
    for made in FACTORIES:
        for trait in (None, *traits(made)):
            row: Model = made.create(**{trait: True} if trait else {})
            assert type(row).objects.filter(pk=row.pk).exists()  # type: ignore[attr-defined]
            row.clean_fields(exclude={field.name for field in row._meta.fields} - {*made._meta.declarations})
    assert round_trips == []


def test_a_batch_is_one_statement() -> None:
    with CaptureQueriesContext(connection) as queries:
        people = UserFactory.bulk_create(20, city="Hangzhou")
    assert len(queries) == 1
    assert len({person.phone for person in people}) == 20
    assert [person.pk for person in people] == sorted(person.pk for person in people)


def test_rows_of_a_batch_share_what_they_point_to() -> None:
    owner = UserFactory.create()
    assert {photo.owner for photo in PhotoFactory.bulk_create(3, owner=owner)} == {owner}
