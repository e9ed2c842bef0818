"""Template filter for distances."""

from django import template

from apps.shops.lists import cards

register = template.Library()


@register.filter
def distance(metres: int | None) -> str:
    """`{{ hit.distance_m|distance }}`: "650 m", "1.2 km"; "" when unknown."""
    return cards.format_distance(metres)
