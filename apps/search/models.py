"""The rows of search: what waits for the index, and the words that staff edit."""

import re
from typing import ClassVar

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.web import characters

MAX_WORD_LENGTH = 40
#: Each further synonym is one more term of every query with one of its group.
MAX_GROUP_WORDS = 8
_SEPARATORS = re.compile(r"[,，、;；\n]+")


def normalize(text: str) -> str:
    """The text in compatible forms and small letters, with single spaces."""
    return characters.fold(text)


class SynonymGroup(models.Model):
    """Words that mean the same; a search for one of them finds the others too."""

    words = models.TextField(
        _("words"),
        max_length=400,
        help_text=_("Two to eight, with commas between them: hotpot, hot pot, 火锅"),
    )

    class Meta:
        verbose_name = _("synonyms")
        verbose_name_plural = _("synonyms")

    def __str__(self) -> str:
        return self.words

    def clean(self) -> None:
        self.words = ", ".join(self.members())
        if not 2 <= len(self.members()) <= MAX_GROUP_WORDS:
            raise ValidationError({"words": gettext("Write two to eight different words.")})
        if any(len(word) > MAX_WORD_LENGTH for word in self.members()):
            raise ValidationError({"words": gettext("A word has at most 40 characters.")})

    def members(self) -> list[str]:
        """The words, normalized, each once."""
        return list(dict.fromkeys(filter(None, map(normalize, _SEPARATORS.split(self.words)))))


class _Word(models.Model):
    """A row about one word."""

    word = models.CharField(_("word"), max_length=MAX_WORD_LENGTH, unique=True)

    class Meta:
        abstract = True
        ordering: ClassVar = ["word"]

    def __str__(self) -> str:
        return self.word

    def clean(self) -> None:
        self.word = normalize(self.word)
        if not self.word:
            raise ValidationError({"word": gettext("Write a word.")})


class StopWord(_Word):
    """A word that searches leave out when there are others, beside the built-in ones."""

    is_searched = models.BooleanField(
        _("searched nevertheless"), default=False, help_text=_("For a built-in stop word that matters here.")
    )

    class Meta(_Word.Meta):
        verbose_name = _("stop word")
        verbose_name_plural = _("stop words")


class BlockedWord(_Word):
    """A word that no trending search and no suggestion may contain; people can still search for it."""

    class Meta(_Word.Meta):
        verbose_name = _("blocked word")
        verbose_name_plural = _("blocked words")


class IndexEntry(models.Model):
    """A thing that changed since it was imported; `version` counts its changes.

    `is_waiting` until the index has this version. The row stays when the thing is deleted.
    """

    kind = models.CharField(_("kind"), max_length=20)
    object_id = models.BigIntegerField(_("number"))
    version = models.PositiveBigIntegerField(_("version"), default=1)
    is_waiting = models.BooleanField(_("waiting"), default=True)
    changed_at = models.DateTimeField(_("changed"), default=timezone.now)

    class Meta:
        verbose_name = _("change for the search index")
        verbose_name_plural = _("changes for the search index")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["kind", "object_id"], name="search_one_entry_a_thing")
        ]
        indexes: ClassVar = [
            models.Index(fields=["changed_at"], condition=Q(is_waiting=True), name="search_waiting"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.object_id} v{self.version}"
