"""Shops out of a file: new ones, and changes to those that an earlier file or this site has."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from import_export.fields import Field
from import_export.widgets import CharWidget

from apps.imports.resource import BatchResource, Values
from apps.shops import areas, changes, shop_hours
from apps.shops.geo import cities
from apps.shops.importing import finding
from apps.shops.importing.cells import (
    AmountWidget,
    DegreesWidget,
    HoursWidget,
    LongTextWidget,
    StarsWidget,
    TextWidget,
    YesWidget,
)
from apps.shops.importing.finding import KnownShops
from apps.shops.models import Shop, ShopType
from apps.web import in_language
from apps.web.in_language import columns, language_of

#: Texts that a file may have in one column for both languages, as OpenStreetMap has.
EITHER: Mapping[str, CharWidget] = {
    "name": TextWidget(),
    "about": LongTextWidget(),
    "city": TextWidget(),
    "area": TextWidget(),
    "address": TextWidget(),
    "hours": HoursWidget(),
}
#: A shop farther from the nearest city's centre says its city itself.
MAX_CITY_DISTANCE_M = 60_000
#: Attributes that a row may change.
WRITTEN = (
    *columns(*EITHER),
    *(
        "reference",
        "type_id",
        "price",
        "phone",
        "lat",
        "lng",
        "is_listed",
        "needs_place",
        "imported_rating",
        "rating",
    ),
)
#: Columns that no row writes, and the type, whose row was read already.
UNWRITTEN = frozenset(field.name for field in Shop._meta.concrete_fields if field.attname not in WRITTEN) | {
    "type"
}
#: A degree of 0 as files have it: "0", "0.000", "-0,0°".
_ZERO_DEGREES = re.compile(r"\s*[+-]?0+(?:[.,]0*)?\s*°?\s*")

#: Values of `amenity`, `leisure` and `shop` in OpenStreetMap -> the starter types' names in addresses.
#: Source: https://wiki.openstreetmap.org/wiki/Key:amenity, read in November 2026.
OPENSTREETMAP = {
    **dict.fromkeys(
        ("restaurant", "fast_food", "food_court", "cafe", "ice_cream", "bakery", "pastry", "tea", "coffee",
         "confectionery", "bbq", "canteen"),
        "food",
    ),
    **dict.fromkeys(("bar", "pub", "biergarten", "nightclub"), "bar"),
    **dict.fromkeys(("karaoke_box", "karaoke"), "ktv"),
    **dict.fromkeys(("hairdresser", "barber"), "hair"),
    **dict.fromkeys(("nails", "nail_salon", "beauty"), "nails"),
    **dict.fromkeys(("massage",), "massage"),
    **dict.fromkeys(("spa", "sauna", "public_bath"), "spa"),
    **dict.fromkeys(("fitness_centre", "gym", "sports_centre", "dojo", "fitness_station"), "fitness"),
    **dict.fromkeys(("playground", "indoor_play", "kindergarten", "childcare", "theme_park"), "kids"),
    **dict.fromkeys(("bowling_alley", "escape_game", "amusement_arcade", "cinema", "events_venue"), "party"),
}  # fmt: skip


class ShopResource(BatchResource):
    """A shop a row. Without coordinates it is kept off the site until it is given a place."""

    permissions = ("shops.add_shop", "shops.change_shop", "shops.see_all_shops")
    aliases: ClassVar[Mapping[str, str]] = {
        "@id": "reference", "id": "reference", "osm_id": "reference", "编号": "reference",
        "amenity": "type", "category": "type", "类型": "type",
        "name:en": "name_en", "name:zh": "name_zh", "名称": "name", "英文名": "name_en",
        "description": "about", "简介": "about", "addr:city": "city", "城市": "city",
        "addr:district": "area", "addr:suburb": "area", "区域": "area", "商圈": "area",
        "addr:full": "address", "addr:street": "address", "地址": "address",
        "contact:phone": "phone", "电话": "phone", "opening_hours": "hours", "营业时间": "hours",
        "@lat": "lat", "latitude": "lat", "纬度": "lat", "@lon": "lng", "lon": "lng", "longitude": "lng",
        "经度": "lng", "人均": "price", "评分": "rating",
    }  # fmt: skip

    reference = Field("reference", "reference", widget=TextWidget())
    # Read by `complete`: an attribute of Django's is written by its own widget alone.
    type = Field(None, "type")
    name_en = Field("name_en", "name_en", widget=TextWidget())
    name_zh = Field("name_zh", "name_zh", widget=TextWidget())
    name = Field(None, "name")
    about_en = Field("about_en", "about_en", widget=LongTextWidget())
    about_zh = Field("about_zh", "about_zh", widget=LongTextWidget())
    about = Field(None, "about")
    city_en = Field("city_en", "city_en", widget=TextWidget())
    city_zh = Field("city_zh", "city_zh", widget=TextWidget())
    city = Field(None, "city")
    area_en = Field("area_en", "area_en", widget=TextWidget())
    area_zh = Field("area_zh", "area_zh", widget=TextWidget())
    area = Field(None, "area")
    address_en = Field("address_en", "address_en", widget=TextWidget())
    address_zh = Field("address_zh", "address_zh", widget=TextWidget())
    address = Field(None, "address")
    hours_en = Field("hours_en", "hours_en", widget=HoursWidget())
    hours_zh = Field("hours_zh", "hours_zh", widget=HoursWidget())
    hours = Field(None, "hours")
    phone = Field("phone", "phone", widget=TextWidget())
    lat = Field("lat", "lat", widget=DegreesWidget())
    lng = Field("lng", "lng", widget=DegreesWidget())
    price = Field("price", "price", widget=AmountWidget())
    rating = Field("imported_rating", "rating", widget=StarsWidget())
    listed = Field("is_listed", "listed", widget=YesWidget())

    class Meta(BatchResource.Meta):
        model = Shop
        fields = (
            *("reference", "type", *EITHER, *columns(*EITHER)),
            *("phone", "lat", "lng", "price", "rating", "listed"),
        )
        name = gettext_lazy("Shops")

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._types = TypeNames()
        self._known = KnownShops([])

    def written_columns(self) -> Sequence[str]:
        return WRITTEN

    def row_key(self, values: Values) -> str:
        if reference := finding.read_cell(values, "reference"):
            return reference
        named = (*finding.NAME_COLUMNS, *finding.ADDRESS_COLUMNS, "lat", "lng")
        return "\x1f".join(finding.read_cell(values, column) for column in named)

    def load_batch(self, rows: Sequence[Values]) -> None:
        for values in rows:
            if all(_ZERO_DEGREES.fullmatch(values.get(side, "")) for side in ("lat", "lng")):
                # Programs write 0,0 for a place that they don't know: no shop stands in that sea.
                values |= {"lat": "", "lng": ""}
        self._known = KnownShops(rows)

    def init_instance(self, row: Any = None) -> Shop:
        # A price that nobody has said.
        return Shop(price=0)

    def find(self, values: Values) -> Shop | None:
        return self._known.find(values, _read_place(values, self.delimiter))

    def complete(self, instance: Shop, values: Values) -> None:
        for name in EITHER:
            _set_either(instance, name, values)
        if written := values.get("type", "").strip():
            self._set_type(instance, written)
        _settle_place(instance, values)
        if not instance.reviews:
            instance.rating = instance.imported_rating
        if not instance.city and not instance.needs_place:
            self._set_nearest_city(instance)

    def describe_doubt(self, instance: Shop) -> str:
        doubt = shop_hours.describe_doubt(instance)
        return f"{instance.name}: {doubt}" if doubt else ""

    def validate(self, instance: Shop) -> None:
        if not self._types.known:
            raise ValidationError({"type": _("This site has no types of shops yet: make some in the admin.")})
        if instance.type_id is None:
            raise ValidationError({"type": _("Say its type: %(types)s.") % {"types": self._types.known}})
        instance.clean_fields(exclude=UNWRITTEN)
        in_language.require_either(instance, ("name", "city"))

    def write_new(self, instances: list[Shop]) -> None:
        changes.create_many(instances)

    def write_changed(self, instances: list[Shop], columns: Collection[str]) -> None:
        changes.save_many(instances, columns)

    def _set_type(self, instance: Shop, written: str) -> None:
        if found := self._types.find(written):
            instance.type = found
        elif self._types.known:
            about = {"name": written, "types": self._types.known}
            sentence = _("There is no type “%(name).40s”. There are: %(types)s.")
            raise ValidationError({"type": sentence % about})

    def _set_nearest_city(self, instance: Shop) -> None:
        try:
            at = areas.Point(instance.lat, instance.lng)
        except areas.BadArea:
            return
        city = cities.nearest(at)
        # On a site without cities it is no row.
        if city.pk and at.distance(city.centre) <= MAX_CITY_DISTANCE_M:
            instance.city_en, instance.city_zh = city.name_en, city.name_zh


def _read_place(values: Values, delimiter: str) -> areas.Point | None:
    try:
        sides = (values.get(side, "") for side in ("lat", "lng"))
        lat, lng = (DegreesWidget().clean(side, delimiter=delimiter) for side in sides)
        return areas.Point(lat, lng)
    except ValueError:
        return None


def _set_either(shop: Shop, name: str, values: Values) -> None:
    """Write a text of a column for both languages where its letters belong."""
    if text := EITHER[name].clean(values.get(name, "")):
        column = f"{name}_zh" if language_of(text) == "zh-Hans" else f"{name}_en"
        if not values.get(column):
            setattr(shop, column, text)
            if name == "hours":
                # What the other column said before may differ.
                other = "hours_en" if column == "hours_zh" else "hours_zh"
                setattr(shop, other, values.get(other, ""))


def _settle_place(shop: Shop, values: Values) -> None:
    """A shop with coordinates is on the map; a new one without waits for them, off the site."""
    sides = [bool(values.get(side)) for side in ("lat", "lng")]
    if any(sides) and not all(sides):
        raise ValidationError({"lat": _("Latitude and longitude go together.")})
    if all(sides):
        shop.is_listed = shop.is_listed or (shop.needs_place and not values.get("listed"))
        shop.needs_place = False
    elif shop._state.adding:
        shop.lat = shop.lng = 0.0
        shop.needs_place = True
    if shop.needs_place:
        shop.is_listed = False


class TypeNames:
    """The site's types by everything that they are called; two queries for a file."""

    def __init__(self) -> None:
        types = list(ShopType.objects.all())
        by_slug = {kind.slug: kind for kind in types}
        self._types = {name: by_slug[slug] for name, slug in OPENSTREETMAP.items() if slug in by_slug}
        for names in ("name_zh", "name_en", "slug"):
            self._types |= {getattr(kind, names).strip().casefold(): kind for kind in types}
        self.known = ", ".join(kind.name for kind in types)

    def find(self, written: str) -> ShopType | None:
        return self._types.get(" ".join(written.split()).casefold())
