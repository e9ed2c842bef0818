"""Crowds by what they send: claims in every shape, pages, personal parts, the whole journey.

`bare bearer` is no honest crowd: the shape that the endpoint's first benches sent, kept as their baseline.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from tests.crowd import agents
from tests.crowd.agents import Browser, Headers, Visitor
from tests.crowd.request_templates import Crowd, RequestTemplate

CLAIM_PATH, FORM_PATH = "/api/vouchers/<<sale>>/seckill", "/vouchers/<<sale>>/grab/"
SALE_PATH, PERSONAL_PATH = "/vouchers/<<sale>>/", "/api/me/page?sale=<<sale>>"
STREAM_PATH = "/api/vouchers/<<sale>>/stock"
SALE_URL = f"http://<<host>>{SALE_PATH}"
BEARER, KEY = ("Authorization", "Bearer <<token>>"), ("Idempotency-Key", "<<key>>")
JSON = ("Content-Type", "application/json")
#: The session's cookie as the site names it where https isn't demanded.
TOKEN_COOKIE = "savor_token"
#: The cookie of the visitor's own position, "latitude,longitude".
PLACE_COOKIE = "savor_where"
#: Bodies of a claim as JSON: nothing said, or the claim's own name, without which a key names it.
EMPTY, NAMED = "{}", '{"request_token": "<<key>>"}'
#: Kinds of people in a crowd of one shape.
KINDS = 20
#: A token of the forms that had one, in its cookie and in the form.
CSRF_SECRET = "b" * 32
BARE_BEARER: Crowd = ((RequestTemplate("POST", CLAIM_PATH, (BEARER, KEY)),),)


def claims_json() -> Crowd:
    """The bare bearer's claim with a JSON body, one half of them an empty one."""
    empty = RequestTemplate("POST", CLAIM_PATH, (BEARER, JSON, KEY), EMPTY)
    return ((empty,), (RequestTemplate("POST", CLAIM_PATH, (BEARER, JSON), NAMED),))


def claims_app() -> Crowd:
    """Claims by apps: bearer, JSON, languages, and a name for each request."""
    return _crowd(_app_claim)


def claims_script() -> Crowd:
    """Claims by scripts, with a bearer; one in three sends JSON."""
    return _crowd(_script_claim)


def claims_browser() -> Crowd:
    """Claims by a page's JavaScript: the session's cookie, JSON, Origin and Sec-Fetch-Site."""
    return _crowd(_browser_claim)


def claims_form() -> Crowd:
    """Claims by the form of a page without JavaScript; one in two names its request."""
    return _crowd(_form_claim)


def claims_mixed(*, forms: bool = True) -> Crowd:
    """All of them as they come: browsers above all, then apps; one in fifty is not kept alive."""
    chance = Random(5)
    makes = [_browser_claim] * 24 + [_app_claim] * 14 + [_script_claim] * 6 + [_form_claim] * 6 * forms
    kinds = [(make(chance),) for make in makes]
    kinds[0] = (_not_kept_alive(kinds[0][0]),)
    chance.shuffle(kinds)
    return tuple(kinds)


def readers(path: str, *, logged_in: bool = True) -> Crowd:
    """Browsers that open a page."""

    def page(chance: Random) -> RequestTemplate:
        return RequestTemplate("GET", path, page_headers(chance, logged_in=logged_in))

    return _crowd(page)


def page_headers(chance: Random, *, logged_in: bool) -> Headers:
    """Headers of some browser that opens a page."""
    browser, visitor = _browser(chance, logged_in=logged_in)
    return browser.navigation(visitor)


def app_headers(chance: Random, *, logged_in: bool) -> Headers:
    """Headers of some app that asks the API, with a bearer if it is logged in."""
    language = ("Accept-Language", chance.choice(agents.LANGUAGES))
    return [*chance.choice(agents.APPS), *[BEARER] * logged_in, language]


def personal() -> Crowd:
    """Browsers that ask for the personal part of a sale's page."""

    def part(chance: Random) -> RequestTemplate:
        browser, visitor = _browser(chance)
        return RequestTemplate("GET", PERSONAL_PATH, browser.fetch(visitor))

    return _crowd(part)


def journey() -> Crowd:
    """The whole journey: the sale's page, one's own part, the claim, one's own part with the order."""
    chance = Random(5)
    return tuple(_journey(*_browser(chance)) for _ in range(KINDS))


def streams() -> Crowd:
    """The browsers of the journey as they hold the stream of the sale's stock."""
    chance = Random(5)
    return tuple((_stream(*_browser(chance)),) for _ in range(KINDS))


def journey_before() -> Crowd:
    """The journey as it was: the page made for the person, and the form with its token."""
    chance = Random(5)
    return tuple(_journey_before(*_browser(chance)) for _ in range(KINDS))


def _journey(browser: Browser, visitor: Visitor) -> tuple[RequestTemplate, ...]:
    page = RequestTemplate("GET", SALE_PATH, browser.navigation(visitor))
    part = RequestTemplate("GET", PERSONAL_PATH, browser.fetch(visitor))
    claim = RequestTemplate("POST", CLAIM_PATH, browser.fetch(visitor, sends_json=True), NAMED)
    return page, part, claim, part


def _stream(browser: Browser, visitor: Visitor) -> RequestTemplate:
    headers = [
        ("Accept", "text/event-stream") if name == "Accept" else (name, value)
        for name, value in browser.fetch(visitor)
    ]
    return RequestTemplate("GET", STREAM_PATH, [*headers, ("Cache-Control", "no-cache")])


def _journey_before(browser: Browser, visitor: Visitor) -> tuple[RequestTemplate, ...]:
    visitor = replace(visitor, cookie=f"{visitor.cookie}; csrftoken={CSRF_SECRET}")
    page = RequestTemplate("GET", SALE_PATH, browser.navigation(visitor))
    body = f"csrfmiddlewaretoken={CSRF_SECRET}&request_token=<<key>>"
    return page, RequestTemplate("POST", FORM_PATH, browser.form(visitor), body)


def _app_claim(chance: Random) -> RequestTemplate:
    headers = app_headers(chance, logged_in=True)
    said = chance.choice([[KEY, JSON], [JSON], [KEY]])
    body = "" if JSON not in said else EMPTY if KEY in said else NAMED
    return RequestTemplate("POST", CLAIM_PATH, [*headers, *said], body)


def _script_claim(chance: Random) -> RequestTemplate:
    said, body = chance.choice([([KEY], ""), ([], ""), ([KEY, JSON], EMPTY)])
    return RequestTemplate("POST", CLAIM_PATH, [*chance.choice(agents.SCRIPTS), BEARER, *said], body)


def _browser_claim(chance: Random) -> RequestTemplate:
    browser, visitor = _browser(chance)
    return RequestTemplate("POST", CLAIM_PATH, browser.fetch(visitor, sends_json=True), NAMED)


def _form_claim(chance: Random) -> RequestTemplate:
    browser, visitor = _browser(chance)
    body = chance.choice(["request_token=<<key>>", ""])
    return RequestTemplate("POST", FORM_PATH, browser.form(visitor), body)


def _not_kept_alive(claim: RequestTemplate) -> RequestTemplate:
    kept = [header for header in claim.headers if header[0] != "Connection"]
    return replace(claim, headers=[("Connection", "close"), *kept])


def _browser(chance: Random, *, logged_in: bool = True) -> tuple[Browser, Visitor]:
    jar = chance.choice(agents.COOKIES if logged_in else agents.VISITOR_COOKIES)
    cookie = jar.format(token=TOKEN_COOKIE)
    return chance.choice(agents.BROWSERS), Visitor(chance.choice(agents.LANGUAGES), cookie, SALE_URL)


def _crowd(make: Callable[[Random], RequestTemplate]) -> Crowd:
    chance = Random(5)
    return tuple((make(chance),) for _ in range(KINDS))
