"""No table pays for an index whose columns begin another's, and a foreign key needs none of its own."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, models

from apps.coupons.models import VoucherOrder
from apps.follows.models import Follow


def find_ours() -> list[type[models.Model]]:
    return [model for model in apps.get_models() if model.__module__.startswith("apps.")]


def read_constraints(model: type[models.Model]) -> dict[str, Mapping[str, Any]]:
    """A table's indexes of all rows and its constraints, by name."""
    partial = {index.name for index in model._meta.indexes if index.condition}
    partial |= {each.name for each in model._meta.constraints if getattr(each, "condition", None)}
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, model._meta.db_table)
    # PostgreSQL's second index of a text is for LIKE.
    return {name: each for name, each in found.items() if name not in partial and not name.endswith("_like")}


@pytest.mark.both_databases
@pytest.mark.django_db
def test_no_index_is_the_beginning_of_another() -> None:
    spare = []
    for model in find_ours():
        found = read_constraints(model)
        columns = {name: each["columns"] for name, each in found.items() if each["index"] or each["unique"]}
        spare += [
            (name, longer)
            for name, first in columns.items()
            for longer, others in columns.items()
            if first and not found[name]["unique"] and name != longer and others[: len(first)] == first
        ]
    assert spare == []


@pytest.mark.both_databases
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("model", "columns"),
    [(VoucherOrder, ["user_id", "voucher_id"]), (Follow, ["follower_id", "followee_id"])],
)
def test_a_foreign_key_without_an_index_is_kept(model: type[models.Model], columns: list[str]) -> None:
    found = read_constraints(model).values()
    assert {each["columns"][0] for each in found if each["foreign_key"]} >= set(columns)
    alone = [each["columns"] for each in found if each["index"] and not each["unique"]]
    assert not [column for column in columns if [column] in alone]
