"""The content of a list's page, and what it says of itself to previews."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts import auth
from apps.adminkit import qr_codes
from apps.saves.display import pages, tabs
from apps.saves.display.pages import ListRow, SavedRow
from apps.saves.models import SaveList
from apps.web.page_metadata import PageMetadata


def context(request: HttpRequest, found: SaveList) -> dict[str, Any]:
    """The context of `saves/list.html`; the same few queries for any number of rows."""
    (row,) = pages.build_list_rows(SaveList.objects.filter(pk=found.pk))
    tab = tabs.requested_in_list(request, row)
    page = pages.page_of_list(found, tabs.KINDS[tab], cursor=request.GET.get("cursor", ""))
    visible = tabs.rows_context(request, page)
    is_mine = auth.viewer_id(request) == found.owner_id
    about = {"list": found, "row": row, "tab": tab, "is_mine": is_mine, "removable": is_mine}
    about |= {"address": request.build_absolute_uri(found.get_absolute_url())}
    return about | visible | {"metadata": describe(row, visible["rows"])}


def share_context(request: HttpRequest, found: SaveList) -> dict[str, Any]:
    """The context of `parts/share_sheet.html`."""
    (row,) = pages.build_list_rows(SaveList.objects.filter(pk=found.pk))
    card = {"title": found.name, "line": found.owner.nickname, "picture": row.cover_url}
    address = request.build_absolute_uri(found.get_absolute_url())
    return {"card": card, "address": address, "qr": qr_codes.render_svg(address)}


def form_values(found: SaveList) -> dict[str, Any]:
    """What the form of a list begins with."""
    return {"name": found.name, "description": found.description, "is_public": found.is_public}


def describe(row: ListRow, visible: list[SavedRow]) -> PageMetadata:
    """The metadata of a list's page: what it holds, whose it is, and its first picture that previews draw."""
    found = row.save_list
    description = _("%(name)s's list on %(site)s: %(places)s, %(notes)s.") % {
        "name": found.owner.nickname,
        "site": settings.SITE_NAME,
        "places": ngettext("%(n)d place", "%(n)d places", row.shops) % {"n": row.shops},
        "notes": ngettext("%(n)d note", "%(n)d notes", row.notes) % {"n": row.notes},
    }
    urls = [one.shop.content.url if one.shop else one.note.url if one.note else "" for one in visible]
    return PageMetadata(
        title=found.name,
        description=found.description or description,
        image=_first_picture(visible),
        data={
            "@type": "ItemList",
            "name": found.name,
            "url": found.get_absolute_url(),
            "itemListElement": [
                {"@type": "ListItem", "position": place, "url": url}
                for place, url in enumerate(urls, start=1)
            ],
        },
    )


def _first_picture(visible: list[SavedRow]) -> str:
    found = (one.shop.content.cover if one.shop else one.note.picture if one.note else "" for one in visible)
    return next((url for url in found if url and not url.endswith(".svg")), "")
