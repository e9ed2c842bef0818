"""The form of a city, for the admin and for the command that sets a site up."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from apps.shops import areas
from apps.shops.geo import cities
from apps.shops.models import City

#: The edges of a city's map.
EDGES = ("south", "west", "north", "east")


class CityForm(forms.ModelForm[City]):
    class Meta:
        model = City
        fields = "__all__"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in EDGES:
            self.fields[name].required = False

    def clean(self) -> dict[str, Any]:
        """Empty edges become those around the centre."""
        cleaned = super().clean() or {}
        written = [name for name in EDGES if cleaned.get(name) is not None]
        if len(written) not in (0, len(EDGES)):
            raise forms.ValidationError(_("Write all four edges, or none of them."))
        if not written and not self.errors:
            cleaned |= self._edges_around(cleaned["lat"], cleaned["lng"])
        return cleaned

    def _edges_around(self, lat: float, lng: float) -> dict[str, float]:
        try:
            centre = areas.Point(lat, lng)
        except areas.BadArea as error:
            raise forms.ValidationError(
                {"lat": _("Latitudes go from -85.05 to 85.05, longitudes from -180 to 180.")}
            ) from error
        box = areas.Box.around(centre, cities.DEFAULT_RADIUS_M)
        return {name: round(getattr(box, name), 4) for name in EDGES}
