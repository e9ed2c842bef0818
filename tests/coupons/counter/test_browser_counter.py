"""The counter on a phone: the camera reads the code, and a press whose answer was lost redeems once."""

import pytest
from playwright.sync_api import expect

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import cookies, tokens
from apps.coupons.models import Redemption, VoucherOrder
from apps.coupons.orders import lifecycle
from apps.shops.members import membership
from tests import chromium_pages
from tests.chromium_pages import PageAt
from tests.factories import ShopMemberFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
#: A camera that films a canvas, and a reader that finds the code at the third look.
CAMERA = """
if (navigator.mediaDevices) navigator.mediaDevices.getUserMedia = async () => {
  const canvas = document.createElement("canvas");
  canvas.getContext("2d").fillRect(0, 0, 300, 150);
  return canvas.captureStream(10);
};
let looks = 0;
window.BarcodeDetector = class {
  static async getSupportedFormats() { return ["qr_code"]; }
  async detect() { return ++looks < 3 ? [] : [{ rawValue: "LINK" }]; }
};
"""


@pytest.mark.journey
def test_a_cashier_scans_and_redeems_once(page_at: PageAt, order: VoucherOrder, bob: User) -> None:
    lifecycle.mark_paid(order)
    ShopMemberFactory.create(shop=order.voucher.shop, user=bob)
    membership.sync_roles(bob)
    page = page_at(360)
    page.add_init_script(CAMERA.replace("LINK", f"https://savor.example/redeem/?code={order.redeem_code}"))
    token = tokens.issue(bob, kind=AccessToken.Kind.PAGE)
    page.goto("/login/")
    page.context.add_cookies(
        [{"name": cookies.TOKEN_COOKIE, "value": token, "url": page.url.removesuffix("login/")}]
    )
    page.goto("/redeem/")
    chromium_pages.wait_for_scripts(page)
    page.get_by_role("button", name="Scan with the camera").click()
    press = page.get_by_role("button", name="Redeem it now")
    expect(press).to_be_visible()
    page.context.set_offline(True)
    press.click()
    expect(page.get_by_text("No answer from the site.")).to_be_visible()
    page.context.set_offline(False)
    press.click()
    expect(page.locator(".verdict--good")).to_contain_text("Noodles at half price")
    assert Redemption.objects.get().cashier == bob
    assert chromium_pages.horizontal_overflow(page) == 0
    assert page_at.complaints == []
