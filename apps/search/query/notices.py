"""Notices about a page of hits, such as dropped words, in the active language."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from apps.search.query.requests import SearchPage


def describe(page: SearchPage) -> str:
    """A sentence about signs alone, or about hits past the last page; "" when there is nothing to say."""
    if page.is_wordless:
        return _("Signs and pictures alone find nothing: type a word, a name or a number.")
    if page.total > page.reachable:
        sentence = _(
            "You can see the first %(reachable)s of %(total)s results. "
            "A further word or a filter brings the others."
        )
        return sentence % {"reachable": _format(page.reachable), "total": _format(page.total)}
    return ""


def _format(number: int) -> str:
    return str(number_format(number, force_grouping=True))
