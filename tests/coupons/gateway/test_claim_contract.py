"""Every shape of a claim: Django's view and the route answer and act alike.

Each answers a person of its own; nothing but the order's id differs afterwards.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
import redis
from django.core.signals import request_finished
from pytest_django import Settings

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.coupons import limits
from apps.coupons.catalog import sales
from apps.coupons.claims import loading, seckill
from apps.coupons.gateway import admission, claim_answers, claim_requests
from apps.coupons.gateway.claim_answers import VARIANT_HEADERS
from apps.coupons.models import FlashSale, Voucher
from apps.redis_kit import client, limiter
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.coupons.gateway.claim_shapes import Shape, Site, round_wait
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
API, FORM = "/api/vouchers/{}/seckill", "/vouchers/{}/grab/"
JSON, URLENCODED = "application/json", "application/x-www-form-urlencoded"


@pytest.fixture
def people() -> list[tuple[User, str]]:
    made = UserFactory.bulk_create(2)
    return [(user, tokens.issue(user, kind=AccessToken.Kind.PAGE)) for user in made]


@pytest.fixture
def site(people: list[tuple[User, str]]) -> Site:
    return Site(people)


@pytest.fixture(autouse=True)
def hour_of_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempts are compared when both have answered: ten seconds may be over on a stalled machine."""
    hourly = replace(limits.CLAIM_LIMIT, period=timedelta(hours=1))
    monkeypatch.setattr(limits, "CLAIM_LIMIT", hourly)
    # Set back afterwards, with the limit.
    monkeypatch.setattr(admission, "_people_args", admission._people_args)
    admission.follow_claim_limit()


@pytest.fixture
def forget_answers() -> Iterator[None]:
    """Answers are cached under the settings that they were rendered with."""
    clear_answers()
    yield
    clear_answers()


def clear_answers() -> None:
    for cached in (
        claim_requests._find_variant,
        claim_answers.variant_for,
        claim_answers._renderer,
        claim_answers._render_refused,
    ):
        cached.cache_clear()


BROWSER = (
    ("user-agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36"),
    ("accept", "text/html,application/xhtml+xml,*/*;q=0.8"),
    ("accept-language", "zh-CN,zh;q=0.9,en;q=0.8"),
    ("accept-encoding", "gzip, deflate, br, zstd"),
    ("origin", "http://testserver"),
    ("referer", "http://testserver/vouchers/7/"),
    ("sec-fetch-site", "same-origin"),
    ("sec-fetch-mode", "cors"),
    ("sec-fetch-dest", "empty"),
    ("sec-ch-ua", '"Chromium";v="140"'),
)
OLD_BROWSER = (("user-agent", "Mozilla/5.0"), ("origin", "http://testserver"))
APP = (("user-agent", "Savor/3.1 (iPhone; iOS 19.1)"), ("accept", "application/json"), ("x-request-id", "1"))
BODIES = [("", b""), (JSON, b"{}"), (JSON, b'{"request_token": "mine"}'), (URLENCODED, b"request_token=mine")]
HONEST = [
    *(Shape("bearer", kind, body, APP) for kind, body in BODIES),
    *(Shape("cookie", kind, body, BROWSER) for kind, body in BODIES),
    *(Shape("cookie", kind, body, OLD_BROWSER) for kind, body in BODIES),
    Shape("bearer", headers=()),
    Shape("bearer", JSON, b"", (("idempotency-key", "mine"),)),
    Shape("bearer", JSON, b"{}", (("idempotency-key", "mine"),)),
    Shape("bearer", "text/plain;charset=UTF-8", headers=APP),
    Shape("bearer", JSON + "; charset=UTF-8", b'{ "request_token" :\n"mine"}', APP),
    Shape("bearer", headers=(("origin", "https://elsewhere.example"), ("sec-fetch-site", "cross-site"))),
    Shape("cookie", cookies="a=b; django_language=zh-hans; savor_token={}; c"),
    Shape("cookie", headers=(("sec-fetch-site", "none"),)),
    Shape("cookie", cookies="savor_token=x; savor_token={}"),
    Shape("cookie", cookies='savor_token="{}"'),
    Shape("bearer", JSON, b"{}", (("connection", "Upgrade, HTTP2-Settings"), ("upgrade", "h2c"))),
    Shape("bearer", headers=(("accept", "a"), ("accept", "b"))),
]


@pytest.mark.parametrize("shape", HONEST, ids=repr)
def test_an_honest_claim_is_answered_in_the_loop(site: Site, sale: FlashSale, shape: Shape) -> None:
    said = site.post(API.format(sale.pk), shape)
    assert (said.status, site.behind.asked) == (201, 0)
    token = "mine" if b"mine" in shape.body or ("idempotency-key", "mine") in shape.headers else "new"
    assert site.orders(sale) == [(True, token, 16), (True, token, 0)]
    assert seckill.read_stock(sale.pk) == 8


@pytest.mark.parametrize("headers", [BROWSER, OLD_BROWSER], ids=["browser", "old browser"])
@pytest.mark.parametrize("body", [b"", b"request_token=mine"])
def test_the_pages_form_is_answered_in_the_loop(
    site: Site, sale: FlashSale, headers: tuple[tuple[str, str], ...], body: bytes
) -> None:
    said = site.post(FORM.format(sale.pk), Shape("cookie", URLENCODED, body, headers))
    assert (said.status, site.behind.asked) == (303, 0)
    assert (
        said.headers["location"] == f"/orders/{seckill.find_order_id(sale.pk, user_id=site.people[0][0].pk)}/"
    )
    token = "mine" if body else "new"
    assert site.orders(sale) == [(True, token, 16), (True, token, 0)]


#: What refuses a claim -> its status, the code of the API, and Retry-After.
REFUSALS = {
    "unknown": (404, "not_found", None),
    "ordinary": (404, "not_found", None),
    "withdrawn": (404, "not_found", None),
    "not_started": (409, "not_started", None),
    "ended": (409, "ended", None),
    "sold_out": (409, "sold_out", None),
    "already_bought": (409, "already_bought", None),
    "streak": (409, "streak_too_short", None),
    "too_many_requests": (429, "too_many_requests", "minutes"),
    "not_ready": (503, "not_ready", "1"),
    "full": (503, "busy", "1"),
    "redis_away": (503, "busy", "1"),
}


@pytest.fixture
def refuse(
    site: Site,
    make_sale: MakeSale,
    voucher: Voucher,
    settings: Settings,
    redis_away_now: Callable[[], None],
) -> Callable[[str], int]:
    """refuse("sold_out") returns the id of a voucher whose claims are refused for this reason."""

    def prepare(reason: str) -> int:
        sale = make_sale(
            sold_out=reason == "sold_out",
            coming=reason == "not_started",
            ended=reason == "ended",
            streak_days=7 if reason == "streak" else 0,
            loaded=reason != "not_ready",
        )
        found: int = {"unknown": 999_999, "ordinary": voucher.pk}.get(reason, sale.pk)
        match reason:
            case "unknown" | "ordinary" | "not_ready":
                buyers.block_loading(found)
            case "withdrawn":
                sales.withdraw(sale.voucher)
            case "full":
                settings.SALE_IN_FLIGHT_LIMIT = 0
            case "redis_away":
                redis_away_now()
            case "already_bought" | "too_many_requests":
                use_up(site, sale, reason)
        return found

    return prepare


def use_up(site: Site, sale: FlashSale, reason: str) -> None:
    """Let both people have what the sale gives to one person, or make their last attempt."""
    for user, _ in site.people:
        if reason == "already_bought":
            seckill.claim(sale.pk, user_id=user.pk, request_token="first")
        else:
            limiter.hit([(limits.CLAIM_LIMIT, user.pk)], cost=limits.CLAIM_LIMIT.allowed)


@pytest.mark.both_databases
@pytest.mark.parametrize("path", [API, FORM])
@pytest.mark.parametrize("reason", REFUSALS)
def test_a_refusal_is_the_same_everywhere(
    site: Site, refuse: Callable[[str], int], path: str, reason: str
) -> None:
    """By Django and by the event loop, for programs and for the page's form."""
    status, code, wait = REFUSALS[reason]
    voucher_id = refuse(reason)
    said = site.post(path.format(voucher_id), Shape("cookie"))
    assert site.behind.asked == 0
    if path == API:
        assert (said.status, said.headers["content-type"]) == (status, "application/problem+json")
        assert f'"code": "{code}"' in said.body
        assert round_wait(said) == wait
    elif reason == "already_bought":
        assert said.headers["location"].startswith("/orders/")
    else:
        to_go = "&left=7" if reason == "streak" else ""
        assert said.headers["location"] == f"/vouchers/{voucher_id}/?reason={code}{to_go}"


@pytest.mark.parametrize("language", ["en", "zh-Hans", "zh-CN,zh;q=0.9", "xx"])
def test_a_refusal_is_in_the_language_of_the_request(site: Site, make_sale: MakeSale, language: str) -> None:
    headers = (("accept-language", language), ("sec-fetch-site", "same-origin"))
    said = site.post(API.format(make_sale(sold_out=True).pk), Shape(headers=headers))
    assert said.headers["content-language"] == ("zh-hans" if "zh" in language else "en")
    assert site.behind.asked == 0


def test_ways_to_list_the_same_languages_share_an_answer(site: Site, make_sale: MakeSale) -> None:
    """Browsers and apps list them in hundreds of ways, and the first of each kind waits for Django."""
    path, english = (
        API.format(make_sale(sold_out=True).pk),
        ["en", "en-US,en;q=0.9", "en-GB", "fr,de;q=0.5", "*"],
    )
    before = claim_answers.variant_for.cache_info().currsize
    chinese = ["zh-CN,zh;q=0.9,en;q=0.8", "zh", "zh-Hans;q=0.7,en;q=0.1"]
    for language in english + chinese:
        site.post(path, Shape(headers=(("accept-language", language),)))
    assert claim_answers.variant_for.cache_info().currsize == before + 2


def test_the_same_request_gets_the_same_order(site: Site, sale: FlashSale) -> None:
    shape = Shape("bearer", headers=(("idempotency-key", "again"),))
    first, second = [site.post(API.format(sale.pk), shape) for _ in range(2)]
    assert first == second
    assert seckill.read_stock(sale.pk) == 8


@pytest.mark.parametrize("login", ["none", "unknown", "short"])
def test_who_is_not_logged_in_buys_nothing(site: Site, sale: FlashSale, login: str) -> None:
    cookies = {"none": "a=b", "unknown": f"savor_token={'x' * 43}.1", "short": "savor_token=x"}[login]
    assert site.post(API.format(sale.pk), Shape(cookies=cookies)).status == 401
    said = site.post(FORM.format(sale.pk), Shape(cookies=cookies))
    assert (said.status, said.headers["location"]) == (303, f"/login/?next=%2Fvouchers%2F{sale.pk}%2F")
    assert site.behind.asked == 0
    assert seckill.read_stock(sale.pk) == 10


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer ", "bearer x", "Basic YWxpY2U6", f"Bearer  {'x' * 43}.1"]
)
def test_a_malformed_log_in_opens_nothing(site: Site, sale: FlashSale, header: str) -> None:
    said = site.post(API.format(sale.pk), Shape("none", headers=(("authorization", header),)))
    assert (said.status, said.headers["www-authenticate"]) == (401, "Bearer")
    assert site.behind.asked == 0
    assert seckill.read_stock(sale.pk) == 10


def test_a_revoked_token_opens_nothing(site: Site, sale: FlashSale) -> None:
    for user, _ in site.people:
        tokens.revoke_all(user.pk)
    assert site.post(API.format(sale.pk), Shape("bearer")).status == 401


def test_a_token_that_redis_forgot_is_read_from_sql(
    site: Site, sale: FlashSale, guarded_redis: redis.Redis
) -> None:
    guarded_redis.flushall()
    loading.load(sale.pk, force=True)
    assert site.post(API.format(sale.pk), Shape("bearer")).status == 201
    assert site.behind.asked == 0


def test_who_takes_anothers_name_is_unknown_and_charges_nobody(
    site: Site, sale: FlashSale, alice: User
) -> None:
    site.people = [(user, f"{raw.partition('.')[0]}.{alice.pk}") for user, raw in site.people]
    assert site.post(API.format(sale.pk), Shape("bearer")).status == 401
    assert not client.get().exists(limiter.build_key(limits.CLAIM_LIMIT, alice.pk))
    assert seckill.read_stock(sale.pk) == 10


@pytest.mark.parametrize("voucher", ["0", "-1", "abc", "1.0", "１", "9223372036854775808", "%31"])
def test_a_strange_id_is_no_voucher(site: Site, voucher: str) -> None:
    assert site.post(API.format(voucher), Shape("bearer")).status in {404, 422}


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"query": "x=%00"}, 400),
        ({"query": "x=1"}, 422),
        ({"method": "GET"}, 405),
        ({"method": "PURGE"}, 405),
    ],
)
def test_another_line_is_djangos(site: Site, sale: FlashSale, options: dict[str, str], status: int) -> None:
    assert site.post(API.format(sale.pk), Shape("bearer"), **options).status == status
    assert site.behind.asked == 1


ODD = [
    (Shape("cookie", JSON, b'{"units": 2}'), 422),
    (Shape("cookie", JSON, b'{"request_token": "a b"}'), 400),
    (Shape("cookie", JSON, b'{"request_token": null}'), 201),
    (Shape("cookie", JSON, b'{"request_token": 5}'), 422),
    (Shape("cookie", JSON, b"[]"), 422),
    (Shape("cookie", JSON, b"hello"), 400),
    (Shape("cookie", JSON, b'{"request_token": "x"}' + b" " * 1_024), 201),
    (Shape("cookie", URLENCODED, b"request_token=%61"), 201),
    (Shape("cookie", URLENCODED, b"request_token="), 400),
    (Shape("cookie", URLENCODED, b' {"request_token": "a"}'), 201),
    (Shape("cookie", URLENCODED, b'{"other": 1}'), 422),
    (Shape("cookie", URLENCODED, b"csrfmiddlewaretoken=a&request_token=b"), 422),
    (Shape("cookie", "multipart/form-data; boundary=x", b"--x--\r\n"), 201),
    (Shape("cookie", "text/plain", b"{}"), 201),
    (Shape("cookie", JSON + "; charset=hex"), 415),
    (Shape("cookie", cookies="a=\\000; savor_token={}"), 201),
    (Shape("bearer", headers=(("content-encoding", "gzip"),)), 415),
    (Shape("bearer", headers=(("transfer-encoding", "chunked"),)), 411),
    *(
        (Shape("bearer", headers=(("idempotency-key", key),)), 400)
        for key in ("", "a b", "x" * 65, "a:b", "ключ")
    ),
]


@pytest.mark.parametrize(("shape", "status"), ODD, ids=repr)
def test_an_odd_claim_is_answered_by_django(site: Site, sale: FlashSale, shape: Shape, status: int) -> None:
    assert site.post(API.format(sale.pk), shape).status == status
    assert site.behind.asked == 1
    assert len(set(site.orders(sale))) == 1


def test_an_older_token_that_names_nobody_is_djangos(site: Site, sale: FlashSale) -> None:
    older = [(user, raw.partition(".")[0]) for user, raw in site.people]
    for (_, raw), (_, named) in zip(older, site.people, strict=True):
        AccessToken.objects.filter(digest=tokens.digest(named)).update(digest=tokens.digest(raw))
    site.people = older
    assert site.post(API.format(sale.pk), Shape("bearer")).status == 201
    assert site.behind.asked == 1
    assert seckill.read_stock(sale.pk) == 8


CROSS_ORIGIN = [
    (("sec-fetch-site", "cross-site"),),
    (("sec-fetch-site", "same-site"), ("origin", "http://testserver")),
    (("origin", "http://elsewhere.example"),),
    (("origin", "https://testserver"),),
    (("origin", "null"),),
    (),
    (("authorization", "Basic YWxpY2U6"),),
]


@pytest.mark.parametrize("path", [API, FORM])
@pytest.mark.parametrize("headers", CROSS_ORIGIN, ids=repr)
def test_another_sites_page_buys_nothing(
    site: Site, sale: FlashSale, path: str, headers: tuple[tuple[str, str], ...]
) -> None:
    said = site.post(path.format(sale.pk), Shape("cookie", headers=headers))
    assert said.status == 403
    assert site.orders(sale) == [(False, "", 0)] * 2


@pytest.mark.parametrize("path", [API, FORM])
@pytest.mark.parametrize("host", ["elsewhere.example", "testserver:x", "a b"])
def test_a_foreign_host_buys_nothing(site: Site, sale: FlashSale, path: str, host: str) -> None:
    """It used to get 400, and to buy."""
    said = site.post(path.format(sale.pk), Shape("bearer" if path == API else "cookie"), host=host)
    assert said.status == 400
    assert site.orders(sale) == [(False, "", 0)] * 2


@pytest.mark.usefixtures("forget_answers")
@pytest.mark.parametrize("path", [API, FORM])
def test_http_where_https_is_demanded_buys_nothing(
    people: list[tuple[User, str]], sale: FlashSale, settings: Settings, path: str
) -> None:
    """It used to get a redirect to another voucher, and to buy."""
    settings.SECURE_SSL_REDIRECT, settings.TRUSTED_PROXIES = True, 1
    site = Site(people)
    said = site.post(path.format(sale.pk), Shape())
    assert said.status == 301
    assert said.headers["location"] == f"https://testserver{path.format(sale.pk)}"
    assert site.orders(sale) == [(False, "", 0)] * 2
    behind_tls = (("x-forwarded-proto", "https"), ("origin", "https://testserver"))
    assert site.post(path.format(sale.pk), Shape(headers=behind_tls)).status in {201, 303}
    assert site.behind.asked == 1
    assert [bought for bought, _, _ in site.orders(sale)] == [True] * 2


async def test_an_answer_that_is_rendered_in_the_loop_ends_no_request() -> None:
    ended = list[object]()

    def note(**_: object) -> None:
        ended.append(1)

    claim_answers.variant_for.cache_clear()
    request_finished.connect(note)
    try:
        assert claim_answers.variant_for(False, "http", None, None, *[None] * len(VARIANT_HEADERS))
    finally:
        request_finished.disconnect(note)
    assert ended == []


#: How a site is told its address: allowed hosts, SITE_URL, whether by https, and its proxies.
ADDRESSES = [
    (["savor.example"], "https://savor.example", True, 1),
    (["savor.example"], "https://savor.example", True, 0),
    ([".savor.example"], "https://city.savor.example:8443", True, 2),
    (["savor.example"], "http://127.0.0.1:8000", True, 1),
    ([".savor.example"], "http://127.0.0.1:8000", True, 1),
    (["127.0.0.1", "localhost"], "http://127.0.0.1:8000", False, 0),
    (["web.localhost"], "http://web.localhost:8000", False, 1),
]


@pytest.mark.usefixtures("forget_answers")
@pytest.mark.parametrize(("hosts", "url", "secure", "proxies"), ADDRESSES)
def test_a_process_that_starts_makes_the_answers_of_its_own_address(
    hosts: list[str],
    url: str,
    secure: bool,
    proxies: int,
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.ALLOWED_HOSTS, settings.SITE_URL, settings.TRUSTED_PROXIES = hosts, url, proxies
    settings.SECURE = settings.SECURE_SSL_REDIRECT = secure
    assert claim_answers.warm_up()
    assert caplog.records == []
    # By JSON and by form, in each language.
    assert claim_answers.variant_for.cache_info().currsize == 2 * len(settings.LANGUAGES)
