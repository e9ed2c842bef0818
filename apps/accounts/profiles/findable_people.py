"""People as search finds them."""

from collections.abc import Collection, Iterator, Sequence

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from apps.accounts import city_names
from apps.accounts.models import FINDABLE_NAME, User
from apps.web import batches, findable, object_urls
from apps.web.compiled_queries import CompiledQuery
from apps.web.findable import Document, Field, Kind, Shown

NAME = FINDABLE_NAME
BATCH_SIZE = 500


def _build(user: User) -> Document:
    city = [findable.pair_value(*city_names.both(user.city))] if user.city else []
    return Document(
        id=user.pk,
        texts={"name": [user.nickname], "city": list(city_names.both(user.city)), "bio": [user.bio]},
        orders={"newest": user.joined_at.timestamp()},
        names={"name": user.nickname},
        facets={"city": city},
        owner=user.pk,
    )


def _load(ids: Sequence[int]) -> list[Document]:
    return [_build(user) for user in User.objects.listed().filter(pk__in=ids)]


def _pk_chunks(after: int = 0) -> Iterator[list[int]]:
    return batches.iter_pk_chunks(User.objects.listed(), BATCH_SIZE, after=after)


@CompiledQuery
def _query_listed(ids: list[int]) -> QuerySet[User]:
    return User.objects.listed().filter(pk__in=ids)


def _show(ids: Collection[int]) -> dict[int, Shown]:
    return {
        user.pk: Shown(user.nickname, user.bio, object_urls.build("accounts:person", user.pk), user, user.pk)
        for user in _query_listed(list(ids))
    }


def _label_facet(_facet: str, value: str) -> str:
    return city_names.localize(findable.split_pair(value)[0])


KIND = Kind(
    name=NAME,
    label=_("People"),
    fields={"name": Field(4, is_name=True), "city": Field(1), "bio": Field(1)},
    orders=("newest",),
    facets=("city",),
    load=_load,
    pk_chunks=_pk_chunks,
    show=_show,
    label_facet=_label_facet,
    name_orders=("name",),
)
