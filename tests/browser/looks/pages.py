"""The pages whose looks are kept, by the names of their pictures."""

from dataclasses import dataclass

CARD = ".shop-card__name a"
NOTE = ".note-card a[href^='/notes/']"


@dataclass(frozen=True)
class LookedAtPage:
    """A page's path, or the path of a list and the selector of the link in it that leads to the page."""

    path: str
    link: str = ""
    #: A person's page is looked at by the demo's own customer, the others by a visitor.
    is_personal: bool = False


def _public(path: str, link: str = "") -> LookedAtPage:
    return LookedAtPage(path, link)


def _personal(path: str, link: str = "") -> LookedAtPage:
    return LookedAtPage(path, link, is_personal=True)


PAGES = {
    "home": _public("/"),
    "shops": _public("/shops/"),
    "shops-ktv": _public("/shops/?type=ktv&sort=price"),
    "shops-shanghai": _public("/shops/?type=bar&city=shanghai"),
    "map": _public("/shops/map/"),
    "shop": _public("/shops/1/"),
    "shop-notes": _public("/shops/1/notes/"),
    "sales": _public("/sales/"),
    "sales-coming": _public("/sales/?tab=coming"),
    "sales-ended": _public("/sales/?tab=ended"),
    "sale": _public("/sales/", ".flash-card__title a"),
    "sale-ended": _public("/sales/?tab=ended", ".flash-card__title a"),
    "notes": _public("/notes/"),
    "note": _public("/notes/", NOTE),
    "login": _public("/login/"),
    "search": _public("/search/"),
    "search-results": _public("/search/?q=noodle"),
    "search-nothing": _public("/search/?q=zzzzzz"),
    "person": _public("/people/101/"),
    "patterns": _public("/patterns/"),
    "pattern": _public("/patterns/flash-sale/"),
    "design": _public("/design/"),
    "help": _public("/help/"),
    "privacy": _public("/privacy/"),
    "not-found": _public("/nowhere/"),
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
    "delete-account": _personal("/me/delete/"),
    "own-reports": _personal("/me/reports/"),
    "own-notes": _personal("/me/notes/"),
    "orders": _personal("/orders/"),
    "notifications": _personal("/notifications/"),
    "preferences": _personal("/notifications/preferences/"),
    "chats": _personal("/chats/"),
    "chat": _personal("/chats/", "main a[href^='/chats/']:not([href='/chats/new/'])"),
    "chat-new": _personal("/chats/new/"),
}
