"""Template filters for the hours of shops."""

from django import template

from apps.shops import shop_hours
from apps.shops.models import Shop

register = template.Library()


@register.filter
def hours_line(shop: Shop) -> str:
    """`{{ shop|hours_line }}`: "Mon–Sat 09:00–22:00; Sun closed", or what the shop wrote."""
    return shop_hours.format_line(shop)


@register.filter
def opens_next(shop: Shop) -> str:
    """`{{ shop|opens_next }}`: "Opens Tue 10:30" while it is closed, else ""."""
    return shop_hours.describe_opening(shop_hours.read_state(shop))
