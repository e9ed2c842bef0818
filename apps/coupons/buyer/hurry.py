"""Which pages a first log-in must lead to at once: those of sales and orders."""

from django.urls import Resolver404, resolve


def is_about_coupons(path: str) -> bool:
    """Whether a path, perhaps with a query, is a page of coupons."""
    try:
        return resolve(path.partition("?")[0]).app_name == "coupons"
    except Resolver404:
        return False
