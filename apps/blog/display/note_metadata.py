"""What a note's page says of itself to search engines and previews."""

from collections.abc import Sequence

from django.utils.text import Truncator

from apps.blog.models import Note, Photo
from apps.shops import shop_metadata
from apps.web import object_urls
from apps.web.page_metadata import PageMetadata


def describe(note: Note, photos: Sequence[Photo]) -> PageMetadata:
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
