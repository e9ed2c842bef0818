"""Template filter for amounts of money."""

from django import template

from apps.shops import money as amounts

register = template.Library()


@register.filter
def money(minor: int, currency: str) -> str:
    """`{{ voucher.price|money:voucher.currency }}`: "¥49"."""
    return amounts.format_amount(minor, currency)
