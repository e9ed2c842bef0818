"""Settings of notes and the feed that operators change while the site runs."""

from typing import Annotated

from annotated_types import Ge, Le
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from apps.siteconfig.components.definitions import About, Component, Settings


class NoteSettings(Settings):
    """From how many followers on a note is read by its readers, and how much one person may write."""

    push_limit: Annotated[
        int,
        Ge(0),
        Le(10_000_000),
        About(
            _("Max. followers for instant delivery of a note"),
            effect=_("Lower it while new notes of popular authors are late; readers then fetch them."),
        ),
    ]
    notes_per_hour: Annotated[
        int,
        Ge(1),
        Le(1_000),
        About(_("New notes of one person in an hour"), effect=_("Lower it against spam.")),
    ]
    comments_per_minute: Annotated[
        int,
        Ge(1),
        Le(1_000),
        About(_("Comments of one person in a minute"), effect=_("Lower it against spam.")),
    ]


def _defaults() -> dict[str, int]:
    return {"push_limit": settings.FEED_PUSH_LIMIT, "notes_per_hour": 10, "comments_per_minute": 20}


NOTES = Component("notes", NoteSettings, title=_("Notes and feed"), defaults=_defaults)
