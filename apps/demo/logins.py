"""The log-ins that `make demo` prints; the launcher imports this module without Django."""

CUSTOMER_PHONE = "+8613800000100"
MANAGER_PHONE = "+8613800000900"
#: Sees the campaigns of one advertiser in the admin, with the manager's password.
ADVERTISER_PHONE = "+8613800000800"
#: Decides reports in the admin, with the manager's password.
MODERATOR_PHONE = "+8613800000700"
#: Owns two shops, in the admin with the manager's password and at /redeem/ with a code.
OWNER_PHONE = "+8613800000600"
#: Redeems these shops' coupons at /redeem/; logs in with a code as every guest.
CASHIER_PHONE = "+8613800000601"
#: Set only with DEMO or DEBUG, where the site listens on loopback.
MANAGER_PASSWORD = "savor-demo"  # noqa: S105 - printed on purpose
