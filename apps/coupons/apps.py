from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.uv.page_kinds import PAGE_KINDS, PageKind

_SOLD = codenames("view add change", "voucher", "flashsale")
_LOOKED_AT = codenames("view", "voucher", "flashsale", "voucherorder", "payment", "stockledger")
#: What each role may do; rows of shops are the owner's own, or everybody's with shops.see_all_shops.
PERMISSIONS = {
    Role.MANAGER: (
        *_SOLD,
        *_LOOKED_AT,
        *("change_voucherorder", "redeem_order", "export_voucher", "export_voucherorder"),
        *codenames("view change", "deadletter"),
        *codenames("view add change", "reconciliation"),
    ),
    Role.SUPPORT: (*_LOOKED_AT, "change_voucherorder"),
    Role.SHOP_OWNER: (
        *_SOLD,
        *("view_voucherorder", "redeem_order", "export_voucher", "export_voucherorder"),
    ),
    Role.CASHIER: ("redeem_order",),
}


class CouponsConfig(AppConfig):
    name = "apps.coupons"
    verbose_name = _("Coupons")

    def ready(self) -> None:
        roles.register("coupons", PERMISSIONS)
        # Not at the top: these need models, and this file is read before there are any.
        import_module("apps.coupons.erasure")
        import_module("apps.coupons.buyer.hurry")
        import_module("apps.coupons.personal")
        import_module("apps.coupons.buyer.notification_targets")
        import_module("apps.coupons.catalog.findable_sales").register()
        import_module("apps.coupons.monitoring_hooks").register()
        import_module("apps.coupons.reconcile.registered").register()
        for name in ("coupons:sales", "coupons:sale"):
            PAGE_KINDS.register(PageKind("sales"), key=name)
