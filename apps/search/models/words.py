"""Words that staff edit: synonyms, stop words, and words that the site never suggests."""

import re
import unicodedata
from typing import ClassVar

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

MAX_WORD_LENGTH = 40
#: Each further synonym is one more term of every query with one of its group.
MAX_GROUP_WORDS = 8
_SEPARATORS = re.compile(r"[,，、;；\n]+")


def normalize(text: str) -> str:
    """The text in compatible forms and small letters, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


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
