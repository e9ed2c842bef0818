"""Which pages a first log-in must lead to at once: those of sales and orders."""

from django.urls import Resolver404, resolve

from apps.accounts.profiles.welcome import IN_A_HURRY


def is_about_coupons(path: str) -> bool:
    """Whether a path, perhaps with a query, is a page of coupons."""
    try:
        return resolve(path.partition("?")[0]).app_name == "coupons"
    except Resolver404:
        return False


IN_A_HURRY.register(is_about_coupons)
