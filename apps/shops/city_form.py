"""The form of a city, for the admin and for the command that sets a site up."""

import re
from typing import Any
from urllib.parse import unquote

from django import forms
from django.db.models import Max
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from apps.shops import areas
from apps.shops.geo import cities, large_cities
from apps.shops.models import City, Shop, ShopType

#: The edges of a city's map.
EDGES = ("south", "west", "north", "east")
_DEGREES = r"(-?\d{1,3}(?:\.\d+)?)"
#: A rectangle as maps export it: west, south, east, north.
_RECTANGLE = re.compile(r"(?:.*\bbbox=)?" + r"\s*,\s*".join([_DEGREES] * 4) + r"(?:&.*)?")
#: A place in the address of OpenStreetMap or Google Maps, or two numbers.
_PLACES = (
    re.compile(rf".*mlat={_DEGREES}&mlon={_DEGREES}.*"),
    re.compile(rf".*#map=[\d.]+/{_DEGREES}/{_DEGREES}.*"),
    re.compile(rf".*@{_DEGREES},{_DEGREES}.*"),
    re.compile(rf"{_DEGREES}[,，\s]+{_DEGREES}"),
)


MAX_SLUG_LENGTH = 40
#: Kilometres from the centre to the edges that a manager may choose.
REACHES_KM = (5, 10, 20, 40)


class LargeCityInput(UnfoldAdminTextInputWidget):  # type: ignore[misc]
    """A text that the names of large cities are offered for; any other may be typed."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        offered = ((city.name_en, city.name_zh) for city in large_cities.ALL)
        options = format_html_join("", '<option value="{}">{}</option>', offered)
        field = super().render(name, value, {**(attrs or {}), "list": "large-cities"}, renderer)
        return format_html('{}<datalist id="large-cities">{}</datalist>', field, options)


def read_place(text: str) -> dict[str, float]:
    """Degrees in a map's address or in numbers: a centre, of a rectangle also its edges; empty for none."""
    text = unquote(text).strip()
    if found := _RECTANGLE.fullmatch(text):
        west, south, east, north = map(float, found.groups())
        centre = {"lat": round((south + north) / 2, 5), "lng": round((west + east) / 2, 5)}
        return centre | {"south": south, "west": west, "north": north, "east": east}
    for pattern in _PLACES:
        if found := pattern.fullmatch(text):
            return {"lat": float(found[1]), "lng": float(found[2])}
    return {}


def next_position(model: type[City | ShopType]) -> int:
    """The position after all others, for a new row."""
    last: int | None = model._default_manager.aggregate(last=Max("position"))["last"]
    return (last or 0) + 1


class CityForm(forms.ModelForm[City]):
    """A city; a new one comes last and is closed, so that no front page changes by itself."""

    from_map = forms.CharField(
        label=gettext_lazy("From a map"),
        required=False,
        help_text=gettext_lazy(
            "Instead of degrees: the address of a map that shows its middle (OpenStreetMap, Google Maps), "
            "or a rectangle as OpenStreetMap's export has it: west, south, east, north."
        ),
        widget=UnfoldAdminTextInputWidget,
    )
    reach = forms.ChoiceField(
        label=gettext_lazy("Size"), required=False, choices=(), widget=UnfoldAdminSelectWidget
    )
    opens_empty = forms.BooleanField(
        label=gettext_lazy("Open it even without shops"), required=False, widget=UnfoldBooleanSwitchWidget
    )

    class Meta:
        model = City
        fields = "__all__"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in (*EDGES, "lat", "lng"):
            self.fields[name].required = False
        is_new = self.instance._state.adding
        as_written = _("10 km from its middle to its edges") if is_new else _("as its edges are")
        self.fields["reach"].choices = [  # type: ignore[attr-defined]
            ("", as_written),
            *((str(km), _("%(km)d km") % {"km": km}) for km in REACHES_KM if km != 10 or not is_new),
        ]
        if is_new:
            given = kwargs.get("initial") or {}
            self.initial = {**self.initial, "position": next_position(City), "is_open": False, **given}
            self.fields["slug"].required = False
            self.fields["name_en"].widget = LargeCityInput({"maxlength": 50})

    def clean_from_map(self) -> dict[str, float]:
        """The degrees of the place."""
        sent: str = self.cleaned_data["from_map"]
        place = read_place(sent)
        if sent and not place:
            raise forms.ValidationError(_("There is no place in this. Copy the whole address of the map."))
        return place

    def clean(self) -> dict[str, Any]:
        """A place of a map goes before numbers; empty edges become those around the centre."""
        cleaned = super().clean() or {}
        if self.instance._state.adding:
            self._complete_by_name(cleaned)
        if place := cleaned.get("from_map"):
            cleaned |= dict.fromkeys(EDGES) | place
        self._require_place(cleaned)
        if reach := cleaned.get("reach"):
            cleaned |= dict.fromkeys(EDGES)
        written = [name for name in EDGES if cleaned.get(name) is not None]
        if len(written) not in (0, len(EDGES)):
            raise forms.ValidationError(_("Write all four edges, or none of them."))
        if not written and not self.errors:
            cleaned |= self._edges_around(cleaned["lat"], cleaned["lng"], int(reach or 0) * 1_000)
        if cleaned.get("is_open") and not self.errors:
            self._ask_about_shops(cleaned)
        return cleaned

    def _require_place(self, cleaned: dict[str, Any]) -> None:
        if "from_map" in self.errors:
            return
        if (
            cleaned.get("lat") is None
            and cleaned.get("lng") is None
            and not self.errors.keys() & {"lat", "lng"}
        ):
            sentence = _(
                "The site doesn't know where this city lies: paste the address of a map, or write degrees."
            )
            self.add_error("from_map", sentence)
            return
        for name in ("lat", "lng"):
            if cleaned.get(name) is None and name not in self.errors:
                self.add_error(name, self.fields[name].error_messages["required"])

    def _ask_about_shops(self, cleaned: dict[str, Any]) -> None:
        """An empty city beside others opens only on purpose: readers would be sent to it."""
        others = City.objects.filter(is_open=True).exclude(pk=self.instance.pk)
        was_open = not self.instance._state.adding and bool(self.initial.get("is_open"))
        if was_open or cleaned.get("opens_empty") or not others.exists():
            return
        try:
            box = areas.Box(*(cleaned[name] for name in EDGES))
        except areas.BadArea:
            return  # the row's own check says which edge is wrong
        if not Shop.objects.open_to_public().within(box).exists():
            sentence = _("It has no shops yet: who lives there would find nothing. Open it with its shops.")
            self.add_error("is_open", sentence)

    def _complete_by_name(self, cleaned: dict[str, Any]) -> None:
        """Write what is left empty of a large city, and a slug."""
        known = large_cities.find(cleaned.get("name_en") or "") or large_cities.find(
            cleaned.get("name_zh") or ""
        )
        if known:
            for name in ("name_en", "name_zh", "time_zone"):
                cleaned[name] = cleaned.get(name) or getattr(known, name)
            if cleaned.get("lat") is None and cleaned.get("lng") is None:
                cleaned |= {"lat": known.lat, "lng": known.lng}
        if not cleaned.get("slug") and "slug" not in self.errors:
            cleaned["slug"] = slugify(cleaned.get("name_en") or "")[:MAX_SLUG_LENGTH].strip("-")
        if not cleaned.get("slug") and "slug" not in self.errors:
            self.add_error("slug", self.fields["slug"].error_messages["required"])

    def _edges_around(self, lat: float, lng: float, radius_m: float) -> dict[str, float]:
        try:
            centre = areas.Point(lat, lng)
        except areas.BadArea as error:
            raise forms.ValidationError(
                {"lat": _("Latitudes go from -85.05 to 85.05, longitudes from -180 to 180.")}
            ) from error
        box = areas.Box.around(centre, radius_m or cities.DEFAULT_RADIUS_M)
        return {name: round(getattr(box, name), 4) for name in EDGES}
