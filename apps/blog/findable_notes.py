"""Published notes as search finds them."""

from collections.abc import Collection, Iterator, Sequence

from django.db.models import QuerySet, prefetch_related_objects
from django.utils.translation import gettext_lazy as _

from apps.blog.models import Note
from apps.shops import findable_shops
from apps.web import batches, findable
from apps.web.compiled_queries import CompiledQuery
from apps.web.findable import Document, Field, Kind, Listener, Shown

NAME = "notes"
BATCH_SIZE = 500
#: The order in which notes with the same words stand together.
SAME_TEXT = "words"


def _build(note: Note) -> Document:
    shop = note.shop
    assert note.published_at, "published"
    return Document(
        id=note.pk,
        texts={
            "title": [note.title],
            "shop": findable_shops.both_languages(shop, "name", "area", "city"),
            "text": [note.text],
        },
        orders={
            "newest": note.published_at.timestamp(),
            "votes": note.likes,
            "rating": note.rating or 0,
            "comments": note.comments,
            SAME_TEXT: findable.number_text(f"{note.title} {note.text}"),
        },
        facets={**findable_shops.place_facets(shop), "rating": [str(note.rating or 0)]},
        place=findable_shops.place_of(shop),
        owner=note.author_id,
    )


def _load(ids: Sequence[int]) -> list[Document]:
    rows = Note.objects.published().filter(pk__in=ids).select_related("shop", "shop__type")
    return [_build(note) for note in rows]


def _pk_chunks(after: int = 0) -> Iterator[list[int]]:
    return batches.iter_pk_chunks(Note.objects.published(), BATCH_SIZE, after=after)


@CompiledQuery
def _query_published(ids: list[int]) -> QuerySet[Note]:
    return Note.objects.published().filter(pk__in=ids).with_cards()


def _show(ids: Collection[int]) -> dict[int, Shown]:
    rows = _query_published(list(ids))
    # A compiled query prefetches nothing.
    prefetch_related_objects(rows, "photos")
    return {
        note.pk: Shown(note.title or note.shop.name, note.text, note.get_absolute_url(), note, note.author_id)
        for note in rows
    }


def _label_facet(facet: str, value: str) -> str:
    return "★" * int(value) if facet == "rating" else findable_shops.label_facet(facet, value)


def refresh_with_shop(_kind: str, ids: Sequence[int]) -> None:
    """Notes are found by the name and place of their shop, which changed."""
    notes = Note.objects.published().filter(shop__in=ids)
    findable.changed(NAME, *notes.values_list("pk", flat=True))


SHOP_LISTENER = Listener(refresh_with_shop, {findable_shops.NAME}, findable_shops.SHOWN_COLUMNS)
KIND = Kind(
    name=NAME,
    label=_("Notes"),
    fields={"title": Field(3, is_name=True), "shop": Field(1.5, is_name=True), "text": Field(1)},
    orders=("newest", "votes", "rating", "comments"),
    facets=("type", "area", "city", "rating"),
    load=_load,
    pk_chunks=_pk_chunks,
    show=_show,
    label_facet=_label_facet,
    has_places=True,
    same_order=SAME_TEXT,
)
