"""Every page that people see; tests/checks/test_every_page_is_listed.py compares it with all addresses."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from django.urls import URLPattern, URLResolver, get_resolver, resolve

#: It shows the same part in several states, with one name.
GALLERY = "/design/"
CITY = (
    "/",
    "/shops/",
    "/shops/?type=ktv&sort=price",
    "/shops/?type=bar&city=shanghai",
    "/shops/map/",
    "/rankings/",
    "/rankings/bar/",
    "/sales/",
    "/sales/?tab=coming",
    "/sales/?tab=ended",
    "/login/",
    GALLERY,
    "/lens/",
    "/orders/",
    "/orders/?status=used",
    "/search/",
    "/search/?q=noodle",
    "/search/?q=noodle&kind=shops",
    "/search/?q=zzzzzz",
    "/patterns/",
    "/patterns/flash-sale/",
)
PEOPLE = (
    "/notes/",
    "/shops/1/notes/",
    "/shops/1/photos/",
    "/feed/",
    "/notes/new/",
    "/notes/new/?shop=1",
    "/people/",
    "/sign-in/",
    "/sign-in/leaders/",
    "/sign-in/points/",
    "/me/",
    "/me/edit/",
    "/me/phone/",
    "/me/blocks/",
    "/me/reports/",
    "/me/decisions/",
    "/me/delete/",
    "/me/saves/",
    "/lists/new/",
    "/welcome/",
    "/help/",
    "/privacy/",
    "/imprint/",
    "/me/sessions/",
    "/me/notes/",
    "/me/notes/?tab=drafts",
    "/notifications/",
    "/notifications/preferences/",
    "/chats/",
    "/chats/new/",
)
#: Pages that test_every_page finds through others: of a shop, a sale, an order, a note, a person, a day.
FOUND = frozenset(
    """
    shops:detail coupons:sale coupons:order coupons:cancel coupons:refund coupons:sandbox
    blog:note blog:comments blog:thread blog:reply blog:edit blog:delete
    signins:make_up accounts:person accounts:block blog:person_notes blog:liked
    follows:followers follows:following follows:common
    moderation:report
    chat:show chat:about chat:leave chat:report chat:share
    """.split()
)
#: A page that a test of its own app looks at, and why it isn't here.
ELSEWHERE = {
    "shops:people": "only for a shop's owner: tests/shops",
    "coupons:counter": "only for who redeems in a shop: tests/coupons",
    "saves:list": "only once somebody has made one: tests/saves",
    "saves:edit_list": "only for who has made it: tests/saves",
    "saves:share_list": "only for a list that all may see: tests/saves",
    "saves:delete_list": "only for who has made it: tests/saves",
    "saves:choose": "a dialog; a page of its own without scripts: tests/saves",
    "chat:invite": "only in a chat of three and more: tests/chat",
    "mailbox:broadcast": "only once the site has told all: tests/mailbox",
    "accounts:prove_phone": "the second step of /me/phone/, the same page: tests/accounts",
    "accounts:finish_phone": "its last step, the same page: tests/accounts",
    "accounts:finish_delete": "the second step of /me/delete/: tests/accounts",
    "moderation:decision": "only for whose words were taken down: tests/moderation",
    "accounts:end_all_sessions": "the log-in page's like for all devices: tests/accounts",
}
#: Fragments for a script, answers to a press, files, and what machines read.
NO_PAGES = frozenset(
    """
    accounts:avatar accounts:end_session accounts:logout accounts:send_code ads:follow ads:picture
    backoffice:lens_requests blog:clear_recent blog:delete_comment blog:feed_new blog:like blog:photo
    blog:publish blog:recent blog:restore blog:restore_comment blog:send_photo
    chat:delete_message chat:mute chat:picture chat:post chat:rename chat:seen chat:share_sheet chat:with
    coupons:buy coupons:grab coupons:order_state coupons:pay coupons:picture coupons:remind coupons:returned
    coupons:strip follows:follow mailbox:mark_all_read mailbox:open metrics:prometheus
    monitoring:alive monitoring:ready patterns:compare patterns:run robots.txt search:forget set_language
    shops:cover shops:cover_png shops:ground shops:picture shops:remove_person
    coupons:scan saves:save saves:take saves:undo signins:sign_in sitemap sitemap_lists sitemap_part
    """.split()
)
#: Pages of the staff, under one address: tests/browser/test_every_admin_page.py walks through them.
ADMIN = "admin/"


def site_names() -> set[str]:
    """Return the names of all the site's addresses, without the admin's and the API's."""
    return set(_names(get_resolver()))


def listed_names() -> set[str]:
    """Return the names of the pages of CITY and PEOPLE; the gallery is the demo's own."""
    paths = {urlsplit(path).path for path in (*CITY, *PEOPLE)} - {GALLERY}
    return {resolve(path).view_name for path in paths}


def _names(resolver: URLResolver, prefix: str = "", namespace: str = "") -> Iterator[str]:
    for entry in resolver.url_patterns:
        address = prefix + str(entry.pattern)
        if address.startswith((ADMIN, "api/")):
            continue
        if isinstance(entry, URLPattern):
            yield f"{namespace}{entry.name or address}"
        else:
            inner = f"{entry.namespace}:" if entry.namespace else ""
            yield from _names(entry, address, f"{namespace}{inner}")
