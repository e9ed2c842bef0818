"""Addresses of the pages of sales, vouchers and orders."""

from django.urls import path, re_path

from apps.coupons import views
from apps.coupons.buyer import gift_views as gifts
from apps.coupons.catalog import reminders_views
from apps.coupons.counter import views as counter
from apps.coupons.payments import views as payments
from apps.coupons.webhooks import views as webhooks

app_name = "coupons"
urlpatterns = [
    path("sales/", views.sales, name="sales"),
    path("sales/strip/", views.home_page_sales, name="strip"),
    re_path(r"^media/vouchers/(?P<name>[0-9a-f]{32})\.webp$", views.picture, name="picture"),
    path("vouchers/<bigid:voucher_id>/", views.sale, name="sale"),
    path("vouchers/<bigid:voucher_id>/grab/", views.grab, name="grab"),
    path("vouchers/<bigid:voucher_id>/buy/", views.buy, name="buy"),
    path("vouchers/<bigid:voucher_id>/remind/", reminders_views.remind, name="remind"),
    path("redeem/", counter.counter, name="counter"),
    path("redeem/scan/", counter.scan, name="scan"),
    path("orders/", views.orders, name="orders"),
    path("orders/<bigid:order_id>/", views.order, name="order"),
    path("orders/<bigid:order_id>/state/", views.order_state, name="order_state"),
    path("orders/<bigid:order_id>/pay/", views.pay, name="pay"),
    path("orders/<bigid:order_id>/returned/", views.returned, name="returned"),
    path("orders/<bigid:order_id>/cancel/", views.cancel, name="cancel"),
    path("orders/<bigid:order_id>/refund/", views.refund, name="refund"),
    path("orders/<bigid:order_id>/gift/", gifts.give, name="give"),
    path("orders/<bigid:order_id>/gift/end/", gifts.end_link, name="end_gift_link"),
    path("gifts/<str:token>/", gifts.gift, name="gift"),
    path("gifts/<str:token>/take/", gifts.take, name="take_gift"),
    path("shops/<bigid:shop_id>/webhooks/", webhooks.webhooks, name="webhooks"),
    path("shops/<bigid:shop_id>/webhooks/<bigid:webhook_id>/", webhooks.webhook, name="webhook"),
    path("shops/<bigid:shop_id>/webhooks/<bigid:webhook_id>/test/", webhooks.try_out, name="try_webhook"),
    path("shops/<bigid:shop_id>/webhooks/<bigid:webhook_id>/switch/", webhooks.switch, name="switch_webhook"),
    path("shops/<bigid:shop_id>/webhooks/<bigid:webhook_id>/remove/", webhooks.remove, name="remove_webhook"),
    path(
        "shops/<bigid:shop_id>/webhooks/<bigid:webhook_id>/deliveries/<bigid:delivery_id>/",
        webhooks.send_again,
        name="resend_webhook",
    ),
    path("sandbox/pay/<slug:reference>/", payments.sandbox, name="sandbox"),
]
