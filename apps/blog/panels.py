"""What notes show on the pages of shops and people; importing this registers it there."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from apps.accounts import auth
from apps.blog import cards, hot
from apps.shops import panels

#: Two rows on a desk, four on a phone.
ON_HOME = 8


def hot_notes(request: HttpRequest, _subject: None) -> str:
    """The hottest notes on the home page; nothing while there are none."""
    found = cards.of(hot.top(ON_HOME), auth.viewer_id(request))
    return render_to_string("blog/_hot.html", {"cards": found}, request) if found else ""


panels.HOME.register(hot_notes, order=30)
