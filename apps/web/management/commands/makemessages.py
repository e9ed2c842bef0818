"""Django's makemessages without guesses: a new text gets no translation of one that looks like it."""

from django.core.management.commands.makemessages import Command as MakeMessages


class Command(MakeMessages):
    """Leaves a new text untranslated, so that the check of translations names it."""

    msgmerge_options = [*MakeMessages.msgmerge_options, "--no-fuzzy-matching"]
