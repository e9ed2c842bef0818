"""A note's page: context, metadata for search engines, album, and how notifications name notes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count, QuerySet, Window
from django.utils.text import Truncator

from apps.accounts import mentions
from apps.blog import comments, likes
from apps.blog.display import note_rows
from apps.blog.models import Comment, Note, Photo
from apps.blog.writing.notes import MENTION_KIND
from apps.mailbox.display import Target
from apps.shops import ratings, shop_metadata
from apps.shops.models import Shop
from apps.web import object_urls, paging
from apps.web.page_metadata import PageMetadata

#: Photos on a shop's page beside its lead picture, and note photos on a page of its album.
MAX_BESIDE_LEAD, PAGE_SIZE = 4, 24
#: Width and height that are reserved for a shop's uploaded picture, whose own nobody keeps.
UPLOADED_SHAPE = 1600, 1200
#: Stars of a note whose photo may stand for the shop.
MIN_LEAD_RATING = 4
_FIELDS = ("pk", "name", "width", "height", "note", "note__title", "note__author", "note__author__nickname")
#: Of the text that names a note without a title.
TITLE_LENGTH = 40


def context(note: Note) -> dict[str, Any]:
    """Return the context of `blog/note.html`, the same for everybody; a constant number of queries."""
    mentions.attach_links(MENTION_KIND, [note])
    known, photos = likes.for_note_page(note, None), list(note.photos.all())
    labels = ratings.score_labels(note.shop.type)
    return {
        "note": note,
        "metadata": _describe(note, photos),
        "photos": photos,
        "scores": [(label, given) for name, label in labels.items() if (given := getattr(note, name))],
        "dishes": list(note.dishes.order_by("pk")) if note.shop.type.has_dishes else [],
        "shape": note_rows.cover_shape(photos[0].width, photos[0].height) if photos else "",
        "bought_here": note_rows.is_bought_here(note),
        "likes": known,
        "liked": None,
        "comments": comments.list_page(note, None, None),
    }


def _describe(note: Note, photos: Sequence[Photo]) -> PageMetadata:
    """The metadata of a note's page: an article about a shop, with its author and dates."""
    title = note.title or Truncator(note.text).chars(60) or note.shop.name
    person_url = object_urls.build("accounts:person", note.author_id)
    author = {"@type": "Person", "name": note.author.nickname, "url": person_url}
    published = note.published_at or note.created_at
    return PageMetadata(
        title=title,
        description=Truncator(note.text).chars(160) or note.shop.name,
        image=photos[0].url if photos else note.shop.preview_url,
        kind="article",
        data={
            "@type": "Article",
            "headline": title,
            "url": note.get_absolute_url(),
            "image": [photo.url for photo in photos],
            "author": author,
            "datePublished": published.isoformat(),
            "dateModified": max(published, note.updated_at).isoformat(),
            "about": shop_metadata.name_shop(note.shop),
        },
    )


class AlbumPhoto(NamedTuple):
    """A photo as pages and the API show it; `note` and `photo` are 0 for the shop's own.

    `url` and `card_url` are its large and its small file, `width` and `height` those of the large one.
    """

    url: str
    card_url: str
    width: int
    height: int
    caption: str
    note: int = 0
    photo: int = 0
    author_id: int = 0
    author: str = ""

    @property
    def note_url(self) -> str:
        """The page of the note that the photo is from; "" for the shop's own."""
        return object_urls.build("blog:note", self.note) if self.note else ""


class Album(NamedTuple):
    """What leads a shop's page: its lead picture, some other photos, and how many its whole album has.

    Without a picture that may stand for the shop `lead` is None, and its drawn cover leads. `has_more` is
    True if the whole album has photos that are not among these.
    """

    lead: AlbumPhoto | None
    others: tuple[AlbumPhoto, ...]
    total: int
    has_more: bool


@dataclass(frozen=True)
class AlbumPage:
    """A page of an album, and the cursor of the next one."""

    items: list[AlbumPhoto]
    next: str | None


def load_leading(shop: Shop) -> Album:
    """What leads the page of a shop of shop_cache, nothing of it twice; at most two queries."""
    own = _own_photos(shop)
    rows = _note_photos(shop.pk).order_by("-pk").annotate(total=Window(Count("pk")))
    found = list(rows.values_list("total", *_FIELDS)[: MAX_BESIDE_LEAD + 1])
    album, total = [*own, *(_note_photo(*row[1:]) for row in found)], len(own) + (found[0][0] if found else 0)
    lead = _find_own_lead(shop, own) or (_find_note_lead(shop.pk) if found else None)
    others = [photo for photo in album if photo != lead][:MAX_BESIDE_LEAD]
    return Album(lead, tuple(others), total, has_more=total > len(others) + (lead in album))


def _find_own_lead(shop: Shop, own: Sequence[AlbumPhoto]) -> AlbumPhoto | None:
    """The picture that a shop has uploaded, else the first photo of its own, else None."""
    if shop.picture:
        return AlbumPhoto(shop.picture.url, shop.cover_url, *UPLOADED_SHAPE, caption="")
    return own[0] if own else None


def _find_note_lead(shop_id: int) -> AlbumPhoto | None:
    """The first photo of the shop's most liked note with four stars or more; one query."""
    rows = _note_photos(shop_id).filter(note__rating__gte=MIN_LEAD_RATING)
    best = rows.order_by("-note__likes", "-note", "position").values_list(*_FIELDS).first()
    return best and _note_photo(*best)


def load_page(shop: Shop, cursor: str | None, size: int = PAGE_SIZE) -> AlbumPage:
    """A page of the album, the shop's own photos on its first; two queries. BadCursor."""
    page = paging.fetch_page(
        _note_photos(shop.pk).only("pk"), order=["-id"], types=[int], cursor=cursor, size=size
    )
    rows = Photo.objects.filter(pk__in=[photo.pk for photo in page.items]).order_by("-pk")
    own = [] if cursor else _own_photos(shop)
    return AlbumPage([*own, *(_note_photo(*row) for row in rows.values_list(*_FIELDS))], page.next)


def _note_photos(shop_id: int) -> QuerySet[Photo]:
    return Photo.objects.filter(note__shop=shop_id, note__status=Note.Status.PUBLISHED)


def _own_photos(shop: Shop) -> list[AlbumPhoto]:
    return [AlbumPhoto(one.url, one.card_url, one.width, one.height, one.caption) for one in shop.own_photos]


def _note_photo(
    pk: int, name: str, width: int, height: int, note: int, title: str, author_id: int, author: str
) -> AlbumPhoto:
    url, card_url = (object_urls.build("blog:photo", named) for named in (name, f"{name}-card"))
    return AlbumPhoto(url, card_url, width, height, title, note, pk, author_id, author)


class NoteTargets:
    """Published notes, with their first photos."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """Two queries."""
        notes = Note.objects.published().prefetch_related("photos").in_bulk(ids)
        return {pk: build_target(note, note.get_absolute_url()) for pk, note in notes.items()}


class CommentTargets:
    """Visible comments: they bear the title of their note, and lead to their own thread."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """Two queries."""
        published = Comment.objects.visible().filter(note__status=Note.Status.PUBLISHED)
        rows = published.select_related("note").prefetch_related("note__photos").in_bulk(ids)
        return {pk: build_target(comment.note, comment.get_absolute_url()) for pk, comment in rows.items()}


def build_target(note: Note, url: str) -> Target:
    """A note's title and first photo, and a page that shows it."""
    photos = list(note.photos.all())
    title = note.title or Truncator(note.text).chars(TITLE_LENGTH)
    return Target(title, url, photos[0].card_url if photos else "")
