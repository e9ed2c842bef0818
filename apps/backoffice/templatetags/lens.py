"""Template tags of the lens: durations and sizes, in the smallest unit that reads well."""

from django import template
from django.conf import settings
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def duration(microseconds: float) -> str:
    """`{{ 1234|duration }}`: "1.2 ms"; below a millisecond in µs, from a second on in s."""
    if microseconds < 1_000:
        return f"{microseconds:.0f} µs"
    if microseconds < 1_000_000:
        return f"{microseconds / 1_000:.1f} ms"
    return f"{microseconds / 1_000_000:.2f} s"


@register.simple_tag
def for_lens_users() -> SafeString:
    """The attributes of a link to the lens: seen by staff, and by everybody in the demo."""
    return SafeString("" if settings.DEMO else 'hidden data-for="staff"')
