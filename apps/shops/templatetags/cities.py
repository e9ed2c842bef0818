"""The city of a profile as a field of forms: `{% load cities %}`."""

from typing import Any

from django import forms, template
from django.template import RequestContext

from apps.shops.geo import cities, location

register = template.Library()


@register.inclusion_tag("shops/_city_field.html", takes_context=True)
def city_field(context: RequestContext, field: forms.BoundField, *, suggests: bool = False) -> dict[str, Any]:
    """`{% city_field form.city %}`: a choice of the site's cities.

    A city that was written before and is not among them stays a choice of its own. `suggests` chooses the
    city that the reader looks at when none is written. The form's `shows_all_cities` is shown below it on a
    site with several.
    """
    written = str(field.value() or "").strip()
    chosen = cities.find_written(written)
    if suggests and not written and not field.form.is_bound:
        chosen = location.from_request(context.request).city
    about = {"field": field, "cities": cities.read(), "chosen": chosen, "written": "" if chosen else written}
    has_choice = "shows_all_cities" in field.form.fields and cities.everywhere()
    return about | {"all_cities": field.form["shows_all_cities"] if has_choice else None}
