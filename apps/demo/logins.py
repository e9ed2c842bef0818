"""The two log-ins that `make demo` prints; the launcher imports this module without Django."""

CUSTOMER_PHONE = "+8613800000100"
MANAGER_PHONE = "+8613800000900"
#: Set only with DEMO or DEBUG, where the site listens on loopback.
MANAGER_PASSWORD = "savor-demo"  # noqa: S105 - printed on purpose
