"""The models of notes: note, photo, like and comment."""

import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import ClassVar, Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.accounts.mentions import Link
from apps.accounts.text_fields import LineField, LinesField
from apps.shops.models import Shop
from apps.web import in_language, object_urls

MAX_PHOTOS = 9
#: Dishes that one note may recommend, and letters of a dish's name.
MAX_DISHES, MAX_DISH_LENGTH, MAX_FOLDED_LENGTH = 5, 30, 120
#: Letters of a topic (blog.topics).
MAX_TOPIC_LENGTH = 30
#: What stars and scores are.
SCORE_VALIDATORS = [MinValueValidator(1), MaxValueValidator(5)]
#: How long people may undo their own deletions; afterwards the rows are erased.
UNDO_PERIOD = timedelta(days=30)


class NoteQuerySet(models.QuerySet["Note"]):
    def published(self) -> Self:
        return self.filter(status=Note.Status.PUBLISHED)

    def not_deleted(self) -> Self:
        """Return drafts and published notes."""
        return self.exclude(status=Note.Status.DELETED)

    def locked(self) -> Self:
        """Lock the notes' rows until the commit; a note is locked before its likes and comments."""
        return self.select_for_update(no_key=True)

    def undoable(self) -> Self:
        """Return notes whose authors may still undo the deletion; not those that staff hid."""
        since = timezone.now() - UNDO_PERIOD
        return self.filter(status=Note.Status.DELETED, deleted_at__gt=since)

    def with_cards(self) -> Self:
        """Load what a card shows of each note; three queries in all."""
        return self.select_related("author", "shop", "shop__type").prefetch_related("photos")


class Note(models.Model):
    """A person's note about a visit to a shop; `rating` and the scores are 1 to 5.

    `likes`, `comments` and `heat` are SQL's own counts, changed in the transaction of their cause.
    `published_at` never changes once set: feeds are ordered by it. `deleted_at` is when the author deleted
    the note; the author may undo that for UNDO_PERIOD. A deleted note without it was hidden by staff.
    """

    class Status(models.TextChoices):
        DRAFT = "draft", _("draft")
        PUBLISHED = "published", _("published")
        DELETED = "deleted", _("deleted")

    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="notes",
        verbose_name=_("author"),
        db_index=False,
    )
    shop = models.ForeignKey(Shop, models.PROTECT, related_name="notes", verbose_name=_("shop"))
    title = LineField(_("title"), max_length=80, blank=True)
    text = LinesField(_("text"), max_length=5000, blank=True)
    rating = models.PositiveSmallIntegerField(_("stars"), null=True, blank=True, validators=SCORE_VALIDATORS)
    taste = models.PositiveSmallIntegerField(_("taste"), null=True, blank=True, validators=SCORE_VALIDATORS)
    room = models.PositiveSmallIntegerField(_("room"), null=True, blank=True, validators=SCORE_VALIDATORS)
    service = models.PositiveSmallIntegerField(
        _("service"), null=True, blank=True, validators=SCORE_VALIDATORS
    )
    dishes: models.ManyToManyField["Dish", models.Model] = models.ManyToManyField(
        "Dish", related_name="named_in", blank=True, verbose_name=_("recommended dishes")
    )
    status = models.CharField(_("status"), max_length=9, choices=Status, default=Status.DRAFT)
    likes = models.PositiveIntegerField(_("likes"), default=0, editable=False)
    comments = models.PositiveIntegerField(_("comments"), default=0, editable=False)
    #: The score that orders the hot list, in seconds since 1970: blog.heat.
    heat = models.FloatField(default=0, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("changed"), auto_now=True)
    published_at = models.DateTimeField(
        pgettext_lazy("moment", "published"), null=True, blank=True, editable=False
    )
    #: When the fan-out to all followers' inboxes ended; feeds read notes without it from SQL (blog.feed).
    pushed_at = models.DateTimeField(null=True, blank=True, editable=False)
    #: Whether the author has too many followers for a fan-out; `pushed_at` then stays empty.
    pulled = models.BooleanField(default=False, editable=False)
    deleted_at = models.DateTimeField(
        pgettext_lazy("moment", "deleted"), null=True, blank=True, editable=False
    )

    objects = NoteQuerySet.as_manager()
    #: The people whom the text mentions (accounts.mentions.attach_links); not a column.
    links: Sequence[Link] = ()

    class Meta:
        verbose_name = _("note")
        verbose_name_plural = _("notes")
        indexes: ClassVar = [
            models.Index(fields=["-heat", "-id"], condition=Q(status="published"), name="blog_hot"),
            models.Index(
                fields=["-published_at", "-id"], condition=Q(status="published"), name="blog_newest"
            ),
            models.Index(
                fields=["author", "-published_at", "-id"],
                condition=Q(status="published"),
                name="blog_by_author",
            ),
            models.Index(
                fields=["shop", "-published_at", "-id"], condition=Q(status="published"), name="blog_by_shop"
            ),
            # Without the status, with which SQLite would prefer it to blog_by_shop for the newest.
            models.Index(
                fields=["shop", "-rating", "-published_at", "-id"],
                condition=Q(status="published"),
                name="blog_by_stars",
            ),
            models.Index(fields=["author", "status", "-updated_at", "-id"], name="blog_mine"),
            models.Index(fields=["deleted_at"], condition=Q(deleted_at__isnull=False), name="blog_deleted"),
            # Has every column of the query, so that SQLite prefers it to blog_mine and blog_by_author.
            models.Index(
                fields=["author", "status", "pushed_at", "-published_at", "-id"],
                condition=Q(pushed_at__isnull=True),
                name="blog_unpushed",
            ),
            models.Index(
                fields=["published_at"],
                condition=Q(pushed_at__isnull=True, pulled=False),
                name="blog_waiting",
            ),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=~Q(status="published") | Q(published_at__isnull=False), name="blog_published_when"
            )
        ]

    def __str__(self) -> str:
        return self.title or f"#{self.pk}"

    def get_absolute_url(self) -> str:
        return object_urls.build("blog:note", self.pk)


class Dish(models.Model):
    """A dish or drink of a shop that notes recommend; write it with blog.writing.dishes.

    `folded` is what its spellings have in common, `recommended` the number of published notes that name it.
    """

    shop = models.ForeignKey(
        Shop, models.CASCADE, related_name="dishes", verbose_name=_("shop"), db_index=False
    )
    name = LineField(_("name"), max_length=MAX_DISH_LENGTH)
    folded = models.CharField(max_length=MAX_FOLDED_LENGTH, editable=False)
    recommended = models.PositiveIntegerField(_("recommended by"), default=0, editable=False)

    class Meta:
        verbose_name = _("dish")
        verbose_name_plural = _("dishes")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["shop", "folded"], name="blog_dish_once_a_shop")
        ]
        indexes: ClassVar = [models.Index(fields=["shop", "-recommended", "id"], name="blog_dishes_best")]

    def __str__(self) -> str:
        return self.name

    @property
    def shown_name(self) -> str:
        """The name, or its part in the active language where it was written in both."""
        return in_language.choose_part(self.name)


class NoteTopic(models.Model):
    """A topic that a note's text names, such as noodles for #noodles; follows the text (blog.topics)."""

    note = models.ForeignKey(Note, models.CASCADE, related_name="topic_rows", verbose_name=_("note"))
    topic = models.CharField(_("topic"), max_length=MAX_TOPIC_LENGTH)

    class Meta:
        verbose_name = _("topic of a note")
        verbose_name_plural = _("topics of notes")
        constraints: ClassVar = [
            # In this order it lists a topic's notes, the newest first.
            models.UniqueConstraint(fields=["topic", "note"], name="blog_topic_once_a_note")
        ]

    def __str__(self) -> str:
        return f"#{self.topic}"


def new_name() -> str:
    """Return an unguessable file name: 32 hexadecimal digits."""
    return uuid.uuid4().hex


class Photo(models.Model):
    """A re-encoded picture in two sizes, `<name>.webp` and `<name>-card.webp`.

    `note` is empty until the photo is attached to a note.
    `width` and `height`, in pixels, are the large file's: pages reserve its space while it loads.
    """

    name = models.CharField(max_length=32, unique=True, default=new_name, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="photos", verbose_name=_("owner")
    )
    note = models.ForeignKey(
        Note, models.SET_NULL, null=True, blank=True, related_name="photos", verbose_name=_("note")
    )
    #: The note that staff took the photo out of; it has no other meanwhile.
    hidden_from = models.ForeignKey(
        Note, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("hidden from")
    )
    position = models.PositiveSmallIntegerField(default=0)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        verbose_name = _("photo")
        verbose_name_plural = _("photos")
        ordering: ClassVar = ["position", "id"]
        indexes: ClassVar = [
            models.Index(fields=["created_at"], condition=Q(note__isnull=True), name="blog_unused_photos")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def url(self) -> str:
        """The URL of the large file."""
        return object_urls.build("blog:photo", self.name)

    @property
    def card_url(self) -> str:
        """The URL of the small file that lists show."""
        return object_urls.build("blog:photo", f"{self.name}-card")


class Like(models.Model):
    """One person's like of one note; the sorted set in Redis is a copy of the rows in order of time."""

    note = models.ForeignKey(Note, models.CASCADE, related_name="like_rows", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="likes", db_index=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("like")
        verbose_name_plural = _("likes")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["note", "user"], name="blog_one_like_a_person"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["note", "created_at", "id"], name="blog_likers"),
            models.Index(fields=["user", "-created_at", "-id"], name="blog_liked"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} likes {self.note_id}"


class CommentQuerySet(models.QuerySet["Comment"]):
    def visible(self) -> Self:
        return self.filter(deleted_at=None)


class Comment(models.Model):
    """A comment on a note, or a reply to one. Replies have no replies, but may mention a person.

    A deleted comment is still listed, without its text, while it has replies. `deleted_by` may undo
    the deletion for UNDO_PERIOD. It is empty if staff hid the comment, which only staff can undo.
    """

    note = models.ForeignKey(
        Note, models.CASCADE, related_name="comment_rows", verbose_name=_("note"), db_index=False
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="comments",
        verbose_name=_("author"),
        db_index=False,
    )
    parent = models.ForeignKey(
        "self", models.CASCADE, null=True, blank=True, related_name="replies", verbose_name=_("answers")
    )
    mentions = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    text = LinesField(_("text"), max_length=1000)
    # Its author owned the note's shop when they wrote it: decision 113.
    as_shop = models.BooleanField(_("from the shop"), default=False, db_default=False, editable=False)
    created_at = models.DateTimeField(_("when"), default=timezone.now)
    deleted_at = models.DateTimeField(pgettext_lazy("moment", "deleted"), null=True, blank=True)
    deleted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("deleted by"),
    )

    objects = CommentQuerySet.as_manager()
    #: The people whom the text mentions (accounts.mentions.attach_links); not a column.
    links: Sequence[Link] = ()

    class Meta:
        verbose_name = _("comment")
        verbose_name_plural = _("comments")
        indexes: ClassVar = [
            models.Index(fields=["note", "parent", "created_at", "id"], name="blog_comments"),
            models.Index(fields=["author", "-created_at"], name="blog_comments_of"),
        ]

    def __str__(self) -> str:
        return self.text[:40]

    def get_absolute_url(self) -> str:
        """Return the URL of the comment's thread."""
        return object_urls.build("blog:thread", self.pk)
