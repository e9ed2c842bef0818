"""Every page that people see; tests/checks/test_habits.py compares it with all addresses."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from django.urls import URLPattern, URLResolver, get_resolver, resolve

#: The demo's own customer, who has orders, notes and chats; somebody new; an owner of shops; nobody known.
Reader = Literal["customer", "newcomer", "owner", "visitor"]


@dataclass(frozen=True)
class Page:
    """A page's address, in which {note} is the note that ITEMS finds; who reads it; its status.

    Looks are kept (tests/browser/looks) of pages that aren't drawn like another.
    """

    path: str
    reader: Reader = "customer"
    has_look: bool = False
    status: int = 200


def _public(path: str, *, has_look: bool = True, status: int = 200) -> Page:
    return Page(path, "visitor", has_look, status)


def _personal(path: str) -> Page:
    return Page(path, has_look=True)


#: What addresses need, by name: a page as the customer reads it, and what of its HTML it is. {draft} and
#: the page of the {bank} are made for the walk, {own} is a shop of the owner.
ITEMS = {
    "sale": ("/sales/", r'href="/vouchers/(\d+)/"'),
    "coming": ("/sales/?tab=coming", r'href="/vouchers/(\d+)/"'),
    "ended": ("/sales/?tab=ended", r'href="/vouchers/(\d+)/"'),
    "unpaid": ("/orders/?status=unpaid", r'href="/orders/(\d+)/"'),
    "paid": ("/orders/?status=paid", r'href="/orders/(\d+)/"'),
    "cancelled": ("/orders/?status=cancelled", r'href="/orders/(\d+)/"'),
    "note": ("/notes/", r'href="/notes/(\d+)/"'),
    "followed": ("/feed/", r'href="/notes/(\d+)/"'),
    "author": ("/notes/{note}/", r'href="/people/(\d+)/"'),
    "comment": ("/notes/{note}/comments/", r'href="/comments/(\d+)/reply/"'),
    "customer": ("/me/", r'href="/people/(\d+)/"'),
    "chat": ("/chats/", r'href="/chats/(\d+)/"'),
}
#: It shows the same part in several states, with one name.
GALLERY = "/design/"
#: By the name of the page's look.
PAGES = {
    "home": _public("/"),
    "shops": _public("/shops/"),
    "shops-ktv": _public("/shops/?type=ktv&sort=price"),
    "shops-shanghai": _public("/shops/?type=bar&city=shanghai"),
    "map": _public("/shops/map/"),
    "shop": _public("/shops/1/"),
    "shop-notes": _public("/shops/1/notes/"),
    "topic": _public("/topics/noodles/", has_look=False),
    "shop-photos": _public("/shops/1/photos/", has_look=False),
    "rankings": _public("/rankings/", has_look=False),
    "ranking": _public("/rankings/bar/", has_look=False),
    "sales": _public("/sales/"),
    "sales-coming": _public("/sales/?tab=coming"),
    "sales-ended": _public("/sales/?tab=ended"),
    "sale": _public("/vouchers/{sale}/"),
    "sale-ended": _public("/vouchers/{ended}/"),
    "notes": _public("/notes/"),
    "note": _public("/notes/{note}/"),
    "login": _public("/login/"),
    "search": _public("/search/"),
    "search-results": _public("/search/?q=noodle"),
    "search-shops": _public("/search/?q=noodle&kind=shops", has_look=False),
    "search-nothing": _public("/search/?q=zzzzzz"),
    "person": _public("/people/101/"),
    "patterns": _public("/patterns/"),
    "pattern": _public("/patterns/flash-sale/"),
    "design": _public(GALLERY),
    "help": _public("/help/"),
    "privacy": _public("/privacy/"),
    "terms": _public("/terms/", has_look=False),
    "imprint": _public("/imprint/", has_look=False),
    "offline-visitor": _public("/offline/", has_look=False),
    "not-found": _public("/nowhere/", status=404),
    "no-shop": _public("/shops/0/", has_look=False, status=404),
    "feed-visitor": _public("/feed/"),
    "feed": _personal("/feed/"),
    "compose": _personal("/notes/new/?shop=1"),
    "people": _personal("/people/"),
    "check-in": _personal("/sign-in/"),
    "leaders": _personal("/sign-in/leaders/"),
    "points": _personal("/sign-in/points/"),
    "me": _personal("/me/"),
    "edit": _personal("/me/edit/"),
    "phone": _personal("/me/phone/"),
    "program-tokens": Page("/me/tokens/"),
    "email": Page("/me/email/"),
    "passkeys": Page("/me/passkeys/"),
    "delete-account": _personal("/me/delete/"),
    "own-reports": _personal("/me/reports/"),
    "own-notes": _personal("/me/notes/"),
    "orders": _personal("/orders/"),
    "notifications": _personal("/notifications/"),
    "preferences": _personal("/notifications/preferences/"),
    "chats": _personal("/chats/"),
    "chat": _personal("/chats/{chat}/"),
    "chat-new": _personal("/chats/new/"),
    "home-known": Page("/"),
    "sale-known": Page("/vouchers/{sale}/"),
    "sale-coming": Page("/vouchers/{coming}/"),
    "order-unpaid": Page("/orders/{unpaid}/"),
    "order-cancel": Page("/orders/{unpaid}/cancel/"),
    "order-paid": Page("/orders/{paid}/"),
    "order-refund": Page("/orders/{paid}/refund/"),
    "order-give": Page("/orders/{paid}/gift/"),
    "order-cancelled": Page("/orders/{cancelled}/"),
    "offline": Page("/offline/"),
    "orders-used": Page("/orders/?status=used"),
    "bank": Page("{bank}"),
    "lens": Page("/lens/"),
    "note-known": Page("/notes/{note}/"),
    "comments": Page("/notes/{note}/comments/"),
    "reply": Page("/comments/{comment}/reply/"),
    "thread": Page("/comments/{comment}/"),
    "draft": Page("/notes/{draft}/"),
    "draft-edit": Page("/notes/{draft}/edit/"),
    "draft-delete": Page("/notes/{draft}/delete/"),
    "compose-blank": Page("/notes/new/"),
    "own-drafts": Page("/me/notes/?status=draft"),
    "own-deleted": Page("/me/notes/?status=deleted"),
    "author": Page("/people/{author}/"),
    "author-notes": Page("/people/{author}/notes/"),
    "author-likes": Page("/people/{author}/likes/"),
    "author-followers": Page("/people/{author}/followers/"),
    "author-following": Page("/people/{author}/following/"),
    "author-common": Page("/people/{author}/common/"),
    "author-block": Page("/people/{author}/block/"),
    "customer": Page("/people/{customer}/"),
    "customer-notes": Page("/people/{customer}/notes/"),
    "customer-likes": Page("/people/{customer}/likes/"),
    "customer-followers": Page("/people/{customer}/followers/"),
    "customer-following": Page("/people/{customer}/following/"),
    "report": Page("/report/note/{followed}/"),
    "shop-claim": Page("/shops/1/claim/"),
    "shop-correct": Page("/shops/1/correct/"),
    "shop-propose": Page("/shops/propose/"),
    "make-up": Page("/sign-in/make-up/?day=2031-06-02", "newcomer"),
    "blocks": Page("/me/blocks/"),
    "decisions": Page("/me/decisions/"),
    "saves": Page("/me/saves/"),
    "list-new": Page("/lists/new/"),
    "welcome": Page("/welcome/", "newcomer"),
    "shop-edit": Page("/shops/{own}/edit/", "owner"),
    "shop-people": Page("/shops/{own}/people/", "owner"),
    "shop-webhooks": Page("/shops/{own}/webhooks/", "owner"),
    "me-owner": Page("/me/", "owner"),
    "sessions": Page("/me/sessions/"),
    "chat-about": Page("/chats/{chat}/about/"),
    "chat-report": Page("/chats/{chat}/report/"),
    "chat-leave": Page("/chats/{chat}/leave/"),
    "chat-share": Page("/chats/share/?kind=note&id={note}"),
}
#: A page that a test of its own app looks at, and why it isn't here.
ELSEWHERE = {
    "coupons:webhook": "only for a shop's owner: tests/coupons/webhooks",
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
    "accounts:second_factor": "only for staff with a second factor: tests/accounts",
    "accounts:finish_email": "the last step of /me/email/: tests/accounts",
    "accounts:remove_passkey": "only for who has a passkey: tests/accounts",
    "moderation:decision": "only for whose words were taken down: tests/moderation",
    "coupons:gift": "only behind a link that somebody made: tests/coupons/buyer",
    "accounts:end_all_sessions": "the log-in page's like for all devices: tests/accounts",
}
#: Fragments for a script, answers to a press, files, and what machines read.
NO_PAGES = frozenset(
    """
    accounts:avatar accounts:end_session accounts:logout accounts:revoke_program_token accounts:send_code
    accounts:log_in_by_passkey accounts:new_passkey_options accounts:passkey_options accounts:remove_email
    ads:follow ads:picture
    backoffice:lens_requests blog:clear_recent blog:delete_comment blog:feed_new blog:like blog:photo
    blog:publish blog:recent blog:restore blog:restore_comment blog:send_photo
    chat:delete_message chat:mute chat:picture chat:post chat:rename chat:seen chat:share_sheet chat:with
    coupons:buy coupons:grab coupons:order_state coupons:pay coupons:picture coupons:remind coupons:returned
    coupons:end_gift_link coupons:take_gift
    coupons:strip coupons:try_webhook coupons:switch_webhook coupons:remove_webhook coupons:resend_webhook
    follows:follow mailbox:mark_all_read mailbox:open mailbox:subscribe mailbox:unsubscribe metrics:prometheus
    manifest monitoring:alive monitoring:ready patterns:compare patterns:run robots.txt search:forget
    service_worker set_language shops:add_photo shops:decide_correction shops:delete_photo
    shops:cover shops:cover_png shops:ground shops:hours_preview shops:picture shops:remove_person
    saves:restore_list
    coupons:scan saves:save saves:take saves:undo signins:sign_in sitemap sitemap_lists sitemap_part
    """.split()
)
#: Pages of the staff, under one address: tests/browser/test_every_admin_page.py walks through them.
ADMIN = "admin/"


def site_names() -> set[str]:
    """Return the names of all the site's addresses, without the admin's and the API's."""
    return set(_names(get_resolver()))


def listed_names() -> set[str]:
    """Return the names of the addresses of PAGES; the gallery is the demo's own, and one page is none."""
    numbers = dict.fromkeys(ITEMS, "1") | {"draft": "1", "own": "1", "bank": "/sandbox/pay/1/"}
    paths = {page.path.format(**numbers) for page in PAGES.values() if page.status == 200} - {GALLERY}
    return {resolve(urlsplit(path).path).view_name for path in paths}


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
