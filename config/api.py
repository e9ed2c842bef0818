"""The JSON API of all apps, mounted at /api/; its documentation is at /api/docs."""

import json
from pathlib import Path

from django.conf import settings

from apps.accounts import auth
from apps.accounts.api import router as accounts
from apps.accounts.sessions import cookies
from apps.accounts.sessions.scopes import Scope
from apps.ads.api import router as ads
from apps.blog.api import router as blog
from apps.chat.api import router as chat
from apps.coupons.api import router as coupons
from apps.coupons.catalog.reminders_api import router as reminders
from apps.coupons.counter.api import router as counter
from apps.follows.api import router as follows
from apps.logship.api import router as logship
from apps.mailbox.api import router as mailbox
from apps.moderation.api import router as moderation
from apps.monitoring.measured_api import router as measured
from apps.monitoring.persistence_api import router as persistence
from apps.monitoring.reconcile.api import router as reconcile
from apps.rankings.api import router as rankings
from apps.saves.api import router as saves
from apps.search.api import router as search
from apps.shops.api import router as shops
from apps.signins.api import router as signins
from apps.siteconfig.api import maintenance_router, settings_router
from apps.uv.api import router as uv
from apps.web.problems import ProblemAPI
from apps.web.problems.api_document import Security
from config.api_members import MEMBERS

#: What tests were answered; `make api-examples` writes it.
EXAMPLES_FILE = Path(__file__).with_name("api_examples.json")
ABOUT = """
**Log in**: `POST /api/auth/code` answers a `request` and sends six digits to a phone (a demo answers them
too, as `debug_code`); `POST /api/auth/login` trades phone, code and request for a `token`. Send it as
`Authorization: Bearer …`.

**Programs** better have a token of their own, from `POST /api/me/tokens` or the page "Tokens for programs":
it begins with `savor_pat_`, does only what its scopes say, and is revoked alone. A 403 `missing_scope` names
the `scope` that is missing. A log-in has all scopes.

**Errors** are `application/problem+json` with a `code` for programs and a `detail` for people; a 422 names
each `field` in `errors`, "" for the request as a whole. After 429 and 503 wait as many seconds as
`Retry-After` says.

**Limits** that counted a request are named in its answer (draft-ietf-httpapi-ratelimit-headers-10):
`RateLimit-Policy: "search.person";q=30;w=10`, 30 requests in 10 seconds, and
`RateLimit: "search.person";r=12`, 12 are left; `t` are seconds to wait. Answers to claims and to
suggestions may have `Retry-After` alone.

**Lists** take `cursor` and `size` (1 to 50) and answer `items` and `next`: send it as `cursor`, beside the
other parameters, for the next page, until it is null. A cursor is good for one list and for a week; a bad
one is refused with 422 `bad_cursor`.

**Money** is in the smallest unit of its `currency`: 12800 CNY are 128 yuan, 12800 JPY are 12800
yen. Times are UTC. `Accept-Language: zh-Hans` makes texts Chinese.

**Addresses** of pictures and pages are whole ones, at the scheme and host that the request came to. Those in
events of `GET /api/live` are paths: one event goes to people at all hosts.

**Pictures** whose addresses end in `.webp`, and `/covers/{shop_id}.png`, the drawn cover of a shop, take
`?width=` of 160, 320, 480 or 960 pixels.

**Keep**: lists and details that everybody gets alike have an `ETag`; send it as `If-None-Match`, and a 304
says that nothing has changed. A query parameter that an operation doesn't have is refused by its name.

**Version**: this is version 1 of the API, under `/api/`; the number in `info` is the software's. Operations,
optional parameters and members, members of answers and `code`s may come; read past those that you don't
know. Names, types, bounds and log-ins stay.
What has to go is `deprecated` here, says what to use instead, and has the header `Deprecation` (RFC 9745)
for half a year at least, with a line in the changelog.

**Buy**: `GET /api/shops/{shop_id}/vouchers` lists what a shop sells, with its `sale` while one is announced.
Grab a unit by `POST /api/vouchers/{voucher_id}/seckill`, then `POST /api/orders/{order_id}/pay` and open its
`pay_url` in a browser. A paid order has the code to show in the shop.
"""
TAGS = {
    "accounts": "Log in and out, one's profile, log-ins, tokens, phone, blocked people, data and deletion.",
    "shops": "Shop types, shops near a place, one shop, its people, and the rankings of a city.",
    "coupons": "Vouchers and flash sales, claims, orders, and redeeming at the counter.",
    "payments": "What payment providers call.",
    "notes": "Notes about shops, with photos, likes and comments; the feed of the people one follows.",
    "follows": "People, whom they follow, and whom one could follow.",
    "saves": "Saved shops and notes, and lists of them.",
    "check-ins": "Daily check-ins, streaks, points, and made-up days.",
    "mailbox": "Notifications: likes, comments, follows, orders, announcements.",
    "search": "Search in shops, notes, people and sales, and suggestions as somebody types.",
    "chats": "Chats of two and of groups, their messages, pictures and members.",
    "reports": "Reports of notes, comments, people and chats, their outcome, and the work of moderators.",
    "ads": "The ad for a place on a page, and what its viewer did with it.",
    "operations": "What the site measures and what operators set, for staff and their programs.",
    "visitors": "Visitors and page views by day, for staff.",
}
_BEARER: dict[str, list[str]] = {"bearer": []}
_COOKIE: dict[str, list[str]] = {"cookie": []}
SECURITY = Security(
    schemes={
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "the `token` of POST /api/auth/login, or one that POST /api/me/tokens made",
        },
        "cookie": {
            "type": "apiKey",
            "in": "cookie",
            "name": cookies.TOKEN_COOKIE,
            "description": "what a browser has after the log-in page; from the site's own pages only",
        },
    },
    accepted={
        "Bearer": [_BEARER],
        "OrdersBearer": [_BEARER],
        "LogInBearer": [_BEARER],
        "StaffBearer": [_BEARER],
        "OptionalBearer": [{}, _BEARER],
        "BearerOrCookie": [_BEARER, _COOKIE],
        "OrdersBearerOrCookie": [_BEARER, _COOKIE],
        "LogInBearerOrCookie": [_BEARER, _COOKIE],
        "StaffBearerOrCookie": [_BEARER, _COOKIE],
    },
    scopes={
        "Bearer": "",
        "OptionalBearer": "",
        "BearerOrCookie": "",
        "OrdersBearer": Scope.ORDERS,
        "OrdersBearerOrCookie": Scope.ORDERS,
        "StaffBearer": Scope.OPERATIONS,
        "StaffBearerOrCookie": Scope.OPERATIONS,
    },
)
api = ProblemAPI(
    title=settings.SITE_NAME,
    version=settings.VERSION,
    description=ABOUT,
    openapi_url=None,
    urls_namespace="api",
    servers=[{"url": "/", "description": "this site"}],
    openapi_extra={
        "info": {
            "summary": "A city's shops, notes, coupons and flash sales",
            "contact": {"name": settings.SITE_NAME, "url": settings.SITE_URL},
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "tags": [{"name": name, "description": about} for name, about in TAGS.items()],
    },
    security=SECURITY,
    examples=json.loads(EXAMPLES_FILE.read_text()),
    members=MEMBERS,
)
api.add_router("", accounts, tags=["accounts"])
api.add_router("", shops, tags=["shops"])
# Before the orders: /orders/redeemed is no order's address.
api.add_router("", counter, tags=["coupons"])
api.add_router("", coupons, tags=["coupons"])
api.add_router("", reminders, tags=["coupons"])
api.add_router("", blog, tags=["notes"])
api.add_router("", follows, tags=["follows"])
api.add_router("", saves, tags=["saves"])
api.add_router("", rankings, tags=["shops"])
api.add_router("", signins, tags=["check-ins"])
api.add_router("", mailbox, tags=["mailbox"], auth=auth.bearer)
api.add_router("", search, tags=["search"])
api.add_router("", chat, tags=["chats"])
api.add_router("", moderation, tags=["reports"])
api.add_router("", ads, tags=["ads"])
for router, permission in (
    (measured, "monitoring.view_metrics"),
    (reconcile, "monitoring.view_metrics"),
    (persistence, "monitoring.view_redis"),
    (logship, "logship.view_cityvisits"),
    (maintenance_router, "siteconfig.switch_maintenance"),
    (settings_router, "siteconfig.change_settings"),
):
    api.add_router("/operations", router, tags=["operations"], auth=auth.StaffBearerOrCookie(permission))
api.add_router("", uv, tags=["visitors"], auth=auth.visits_bearer)
