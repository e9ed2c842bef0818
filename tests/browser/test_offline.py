"""The network goes away: what people read then, whose it is, and what a new release does to it."""

import base64
import json
import os
import re
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playwright.sync_api import Error, Page, StorageState, expect
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.backoffice import pwa
from apps.chat import chats, messages
from apps.mailbox import vapid
from apps.mailbox.models import PushSubscription
from apps.outbox.models import Channel
from apps.outbox.models import Message as OutgoingMessage
from tests import chromium_pages, page_opening, sites
from tests.browser import site_browsers
from tests.browser.neighbours import Neighbour
from tests.factories import VoucherOrderFactory

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
#: Nobody of the demo.
FIRST_PHONE, SECOND_PHONE = "+8613900001171", "+8613900001172"
ENDPOINT = "http://127.0.0.1:9/send/1"
#: Headless Chromium has no push service: this stands in for one, which has given an address.
HAS_PUSH_SERVICE = """(answer) => {
  const toText = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
  const subscription = {
    ...answer,
    toJSON: () => answer,
    unsubscribe: async () => sessionStorage.removeItem("site") ?? true,
  };
  PushManager.prototype.getSubscription = async () => (sessionStorage.getItem("site") ? subscription : null);
  PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
    if (!userVisibleOnly) throw new Error("refused");
    sessionStorage.setItem("site", toText(applicationServerKey).replaceAll("=", ""));
    return subscription;
  };
}"""
#: [the cache's name, the release and the reader of the page in it], of each cache. (caches.open would make
#: anew what a worker has deleted meanwhile.)
READ_CACHES = """(async () => {
  const found = [];
  for (const name of await caches.keys()) {
    const page = await caches.match("/offline/", { cacheName: name });
    found.push([name, page?.headers.get("Savor-Release") ?? "", page?.headers.get("Savor-Reader") ?? ""]);
  }
  return found;
})()"""
#: Has the browser ask for the worker's script now.
ASK_FOR_UPDATE = (
    "navigator.serviceWorker.ready.then((found) => found.update()).then(() => 'new', () => 'refused')"
)
#: Lets a worker write down what the browser shows once it does. (getNotifications forgets a notification that
#: is read between its record and its display.)
NOTE_WHAT_IS_SHOWN = """() => {
  self.noted = [];
  const show = registration.showNotification.bind(registration);
  registration.showNotification = async (title, options) => {
    await show(title, options);
    const shown = await registration.getNotifications();
    noted.push(...shown.map(({ title, body, data }) => [title, body, data.url]));
  };
}"""


def open_with_worker(page: Page, path: str) -> Page:
    """Open a page, and wait until the worker answers for the whole site."""
    page.goto(path)
    chromium_pages.wait_for_scripts(page)
    chromium_pages.wait_for(page, "navigator.serviceWorker.controller !== null")
    return page


def wait_for_kept_page(page: Page, reader: int) -> None:
    """Wait until the browser keeps the page of one reader (0: of visitors), and of nobody else."""
    chromium_pages.wait_for(
        page, f"({READ_CACHES}).then((found) => found.length === 1 && found[0][2] === '{reader}')"
    )


def cut_the_line(page: Page, path: str) -> Page:
    """Cut the line once all scripts of the page have come, and go to a path."""
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    page.goto(path)
    return page


def log_in_with(page: Page, site: sites.Site, neighbour: Neighbour) -> None:
    """Make the browser that of another person, as when a log-in has ended and somebody else logs in."""
    page.context.add_cookies(site_browsers.storage_state(site, neighbour.token)["cookies"])  # type: ignore[arg-type]


def test_coupons_drafts_and_the_way_back_are_there_without_a_line(
    visit: site_browsers.SiteBrowsers, resident: site_browsers.Resident, state: StorageState
) -> None:
    visit.cuts_line = True
    page = open_with_worker(visit(state=state, worker=True), resident.paid)
    code = page.locator(".qr__text").inner_text()
    page.goto("/shops/1/")
    page.goto(f"{resident.draft}edit/")
    chromium_pages.wait_for_scripts(page)
    page.locator("textarea[name=text]").fill("The dumplings are gone by nine.")
    wait_for_kept_page(page, int(resident.page.split("/")[2]))
    failed: list[str] = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    cut_the_line(page, "/sales/")
    expect(page.get_by_role("heading", name="You are offline")).to_be_visible()
    expect(page.get_by_text(code)).to_be_visible()
    expect(page.locator(".qr__code svg").first).to_be_visible()
    expect(page.get_by_text("The dumplings are gone by nine.")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('.qr__code')).aspectRatio") == "1 / 1"
    assert chromium_pages.horizontal_overflow(page) <= 1
    assert [url for url in failed if "/static/" in url] == []
    page.context.set_offline(False)
    page.get_by_role("link", name="Try again").click()
    expect(page.get_by_role("heading", name="Flash sales")).to_be_visible()
    assert page.url.endswith("/sales/")


@pytest.mark.parametrize(("language", "words"), [("en", "You are offline"), ("zh", "你已离线")])
def test_a_visitor_reads_the_sites_own_page_in_their_language_and_theme(
    visit: site_browsers.SiteBrowsers, language: site_browsers.Language, words: str
) -> None:
    page = open_with_worker(visit(theme="dark", language=language, worker=True), "/")
    wait_for_kept_page(page, 0)
    cut_the_line(page, "/notes/")
    expect(page.get_by_role("heading", name=words)).to_be_visible()
    red, green, blue = re.findall(r"\d+", page.evaluate("getComputedStyle(document.body).backgroundColor"))[
        :3
    ]
    assert max(int(red), int(green), int(blue)) < 64


def test_a_chosen_language_is_that_of_the_kept_page_too(visit: site_browsers.SiteBrowsers) -> None:
    page = open_with_worker(visit(1280, worker=True), "/")
    page.get_by_role("button", name="中文").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    chromium_pages.wait_for_scripts(page)
    kept = "caches.match('/offline/').then((page) => page.headers.get('Content-Language') === 'zh-hans')"
    chromium_pages.wait_for(page, kept)
    cut_the_line(page, "/notes/")
    expect(page.get_by_role("heading", name="你已离线")).to_be_visible()


def test_a_log_out_and_another_log_in_leave_nothing_of_the_person_before(
    visit: site_browsers.SiteBrowsers, city: sites.Site, running: str
) -> None:
    first, second = Neighbour(city, FIRST_PHONE), Neighbour(city, SECOND_PHONE)
    order = site_browsers.claim(first, running)
    first.press(site_browsers.begin_payment(first, order), press="pay")
    site_browsers.wait_for_status(first, order, "paid")
    code = first.send("GET", f"/api{order.rstrip('/')}")["redeem_code"]
    visit.ends_login = visit.cuts_line = True
    page = visit(1280, state=site_browsers.storage_state(city, first.token), worker=True)
    open_with_worker(page, "/")
    wait_for_kept_page(page, first.id)
    log_in_with(page, city, second)
    page.goto("/notes/")
    wait_for_kept_page(page, second.id)
    cut_the_line(page, "/notes/")
    expect(page.get_by_role("heading", name="You are offline")).to_be_visible()
    assert code not in page.locator("main").inner_html()

    page.context.set_offline(False)
    log_in_with(page, city, first)
    page.goto("/me/")
    wait_for_kept_page(page, first.id)
    page.wait_for_load_state("networkidle")
    # The line is cut in the moment of the press: what is kept goes even so.
    page.context.set_offline(True)
    page.locator("form[action='/logout/'] button").click()
    # The browser's own error page comes after the request has failed, and would end a visit begun before it.
    page.wait_for_url("chrome-error://chromewebdata/")
    page.goto("/orders/")
    wait_for_kept_page(page, 0)
    expect(page.get_by_role("heading", name="You are offline")).to_be_visible()
    assert code not in page.locator("main").inner_html()


def test_the_admin_the_api_and_what_is_sent_are_left_to_the_browser(
    visit: site_browsers.SiteBrowsers,
) -> None:
    visit.cuts_line = True
    page = open_with_worker(visit(worker=True), "/")
    page.context.set_offline(True)
    send = "fetch('/login/', {method: 'POST'}).then(() => 'answered', () => 'failed')"
    assert page.evaluate(send) == "failed"
    assert page.evaluate("fetch('/api/shops/types').then(() => 'answered', () => 'failed')") == "failed"
    for path in ("/admin/", "/api/docs"):
        with pytest.raises(Error, match="ERR_INTERNET_DISCONNECTED"):
            page.goto(path)


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """release("2.0") deploys the site of another version; returns the name of what a worker keeps of it."""
    pwa.read_release.cache_clear()

    def deploy(version: str) -> str:
        monkeypatch.setattr("django.conf.settings.VERSION", version)
        pwa.read_release.cache_clear()
        return f"savor-offline-{pwa.read_release().name}"

    return deploy


@pytest.mark.django_db(transaction=True)
def test_a_new_release_replaces_all_that_is_kept_and_a_half_one_nothing(
    page_at: chromium_pages.PageAt,
    release: Callable[[str], str],
    alice: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    VoucherOrderFactory.create(user=alice, paid=True, redeem_code="7KQ29XMW4TBD")
    first = release("1.0")
    page = page_opening.open_page(page_at(360, worker=True), alice, "/notes/")
    wait_for_kept_page(page, alice.pk)
    assert page.evaluate(READ_CACHES) == [[first, first.removeprefix("savor-offline-"), str(alice.pk)]]

    # A release one of whose files is not there yet: nothing of it is taken over.
    monkeypatch.setattr(pwa, "ASSETS", (*pwa.ASSETS, "js/of_tomorrow.js"))
    release("1.1")
    page.goto("/notes/")
    page.evaluate(ASK_FOR_UPDATE)
    chromium_pages.wait_for(
        page, "navigator.serviceWorker.ready.then(({ installing, waiting }) => !installing && !waiting)"
    )
    cut_the_line(page, "/shops/")
    expect(page.get_by_text("7KQ2 9XMW 4TBD")).to_be_visible()
    page.context.set_offline(False)

    monkeypatch.undo()
    second = release("2.0")
    # Asked until it is there: a browser asks by itself a second after a visit, and an ask meanwhile joins
    # that one. From the kept page, which loads nothing: a Chromium that is debugged leaves a new worker
    # waiting for minutes where a page's request wakes the old one in between.
    is_replaced = f"({READ_CACHES}).then((found) => found.length === 1 && found[0][0] === '{second}')"
    chromium_pages.wait_for(page, f"{ASK_FOR_UPDATE}.then(() => {is_replaced})")
    assert page.evaluate(READ_CACHES) == [[second, second.removeprefix("savor-offline-"), str(alice.pk)]]
    page.goto("/notes/")
    cut_the_line(page, "/shops/")
    expect(page.get_by_text("7KQ2 9XMW 4TBD")).to_be_visible()


@pytest.mark.django_db(transaction=True)
def test_a_push_is_shown_and_leads_to_its_page(
    page_at: chromium_pages.PageAt, alice: User, settings: Settings
) -> None:
    settings.VAPID_KEY = vapid.parse(vapid.make())
    page = page_at(360, worker=True)
    page.context.grant_permissions(["notifications"])
    page_opening.open_page(page, alice, "/notifications/preferences/")
    expect(page.get_by_role("button", name="Notify me on this device")).to_be_visible()
    chromium_pages.wait_for(page, "navigator.serviceWorker.controller !== null")
    sentence = "Noodles are about to go on sale"
    page.context.service_workers[0].evaluate(NOTE_WHAT_IS_SHOWN)
    push_to_worker(page, {"title": "Savor", "body": sentence, "url": "/sales/", "tag": "sale"})
    while not (shown := page.context.service_workers[0].evaluate("self.noted")):
        page.wait_for_timeout(50)
    assert shown == [["Savor", sentence, "/sales/"]]
    page_opening.go_to(page, "/me/")
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_text("You are logged out.")).to_be_visible()
    count = "registration.getNotifications().then((shown) => shown.length)"
    while page.context.service_workers[0].evaluate(count):
        page.wait_for_timeout(50)


@pytest.mark.django_db(transaction=True)
def test_a_browser_that_subscribes_gets_a_chats_news_until_it_is_stopped(
    page_at: chromium_pages.PageAt, alice: User, bob: User, settings: Settings
) -> None:
    settings.VAPID_KEY, settings.OPERATOR_EMAIL = vapid.parse(vapid.make()), "operator@savor.example"
    # Like the demo's, this site may send to this machine.
    settings.DEMO = True
    chat = chats.open_with(bob.pk, alice.pk)
    page = page_at(360, worker=True)
    page.context.grant_permissions(["notifications"])
    page.add_init_script(f"({HAS_PUSH_SERVICE})({json.dumps(make_subscription())})")
    page_opening.open_page(page, alice, "/notifications/preferences/")
    page.get_by_role("button", name="Notify me on this device").click()
    stop = page.get_by_role("button", name="Stop notifying me here")
    expect(stop).to_be_visible()
    assert page.evaluate("sessionStorage.getItem('site')") == settings.VAPID_KEY.public_text
    messages.post(bob.pk, chat.pk, "Dumplings tonight?")
    [push] = OutgoingMessage.objects.filter(channel=Channel.PUSH)
    assert push.to == str(PushSubscription.objects.get(login__user=alice, endpoint=ENDPOINT).pk)
    page.reload()
    expect(stop).to_be_visible()
    # The browser still has an address, to which nothing is sent for another person, nor in another log-in.
    page_opening.open_page(page, bob, "/notifications/preferences/")
    start = page.get_by_role("button", name="Notify me on this device")
    start.click()
    expect(stop).to_be_visible()
    assert PushSubscription.objects.get().login.user_id == bob.pk
    page.reload()
    stop.click()
    expect(start).to_be_visible()
    assert not PushSubscription.objects.exists()


def make_subscription() -> dict[str, object]:
    """What a push service would answer a browser."""
    point = ec.generate_private_key(ec.SECP256R1()).public_key()
    texts = (point.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint), os.urandom(16))
    p256dh, auth = (base64.urlsafe_b64encode(raw).rstrip(b"=").decode() for raw in texts)
    return {"endpoint": ENDPOINT, "keys": {"p256dh": p256dh, "auth": auth}}


def push_to_worker(page: Page, payload: dict[str, str]) -> None:
    """Hand the page's worker what a push service would have brought."""
    session = page.context.new_cdp_session(page)
    found: list[str] = []
    session.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: found.extend(one["registrationId"] for one in event["registrations"]),
    )
    session.send("ServiceWorker.enable")
    while not found:
        page.wait_for_timeout(50)
    origin = page.evaluate("location.origin")
    message = {"origin": origin, "registrationId": found[-1], "data": json.dumps(payload)}
    session.send("ServiceWorker.deliverPushMessage", message)
    session.detach()
