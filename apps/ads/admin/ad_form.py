"""The form of an ad: texts in both languages, a picture, where it leads, its places and its words."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminImageFieldWidget,
    UnfoldAdminSelect2MultipleWidget,
    UnfoldAdminTextareaWidget,
)

from apps.accounts.pictures import uploads
from apps.accounts.pictures.drawing import Shape
from apps.ads import targeting
from apps.ads.admin.shop_choices import ShopField
from apps.ads.models import Ad
from apps.shops.geo import cities
from apps.shops.models import Shop
from apps.web.in_language import choose

MAX_FILE_BYTES = 5 * uploads.MEGABYTE
#: The box shows 112 pixels; a screen has up to three for each.
SIDE_PIXELS = 640
#: Between the city and the area of a choice.
SEPARATOR = "\t"
EVERYWHERE = SEPARATOR
Place = tuple[str, str]
_SEPARATOR_PATTERN = re.compile(r"[,，、;；\n\r]+")  # noqa: RUF001 - the wide ones too


class AdForm(forms.ModelForm):
    """`cleaned_data` has `places` as (city, area) pairs and `words` as a list."""

    picture = forms.FileField(
        label=_("Picture"),
        required=False,
        widget=UnfoldAdminImageFieldWidget,
        help_text=_("Square, at most 5 MB. Without one the shop's picture is shown."),
    )
    shop = ShopField(
        label=_("Shop"), required=False, help_text=_("Where the ad leads, unless it has a link.")
    )
    places = forms.MultipleChoiceField(label=_("Places"), widget=UnfoldAdminSelect2MultipleWidget)
    words = forms.CharField(
        label=_("Words"),
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text=_("With commas between: hot pot, noodles, 火锅. A page that has one of them suits the ad."),
    )

    class Meta:
        model = Ad
        fields = ("campaign", "title_en", "title_zh", "text_en", "text_zh", "picture", "shop", "link")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if "places" in self.fields:
            self.fields["places"].choices = list_places()  # type: ignore[attr-defined]
        if self.instance.pk:
            kept = self.instance.locations.values_list("city", "area")
            self.initial.setdefault("places", [SEPARATOR.join(pair) for pair in kept])
            words = self.instance.words.order_by("pk").values_list("word", flat=True)
            self.initial.setdefault("words", ", ".join(words))

    def clean_picture(self) -> Any:
        return uploads.clean_sent(self, "picture", Shape(side=SIDE_PIXELS), most_bytes=MAX_FILE_BYTES)

    def clean_places(self) -> list[Place]:
        return [_split_place(value) for value in self.cleaned_data["places"]]

    def clean_words(self) -> list[str]:
        sent = _SEPARATOR_PATTERN.split(self.cleaned_data["words"])
        words = targeting.normalize_words(sent, limit=targeting.MAX_AD_WORDS + 1)
        if len(words) > targeting.MAX_AD_WORDS:
            raise ValidationError(_("%d words are the most.") % targeting.MAX_AD_WORDS)
        return words


def list_places() -> list[tuple[str, str]]:
    """Every city, every area that has a shop, and everywhere: (value, label in the manager's language)."""
    rows = Shop.objects.order_by("city_en", "area_en").values_list("city_en", "city_zh", "area_en", "area_zh")
    places: dict[str, str] = {EVERYWHERE: str(_("Everywhere"))}
    for known in cities.read():
        places[SEPARATOR.join((known.name_en or known.name_zh, ""))] = known.name
    for city_en, city_zh, area_en, area_zh in rows.distinct():
        city, area = city_en or city_zh, area_en or area_zh
        city_name = choose(city_en, city_zh)
        places[SEPARATOR.join((city, ""))] = city_name
        places[SEPARATOR.join((city, area))] = f"{city_name} · {choose(area_en, area_zh)}"
    return sorted(places.items())


def _split_place(value: str) -> Place:
    city, _separator, area = value.partition(SEPARATOR)
    return city, area
