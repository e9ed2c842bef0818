"""The template context of a note's page, and its metadata for search engines and previews."""

from collections.abc import Sequence
from typing import Any

from django.utils.text import Truncator

from apps.accounts import mentions
from apps.blog import comments, likes
from apps.blog.display import note_rows
from apps.blog.models import Note, Photo
from apps.blog.writing.notes import MENTION_KIND
from apps.shops import ratings, shop_metadata
from apps.web import object_urls
from apps.web.page_metadata import PageMetadata


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
