"""Shops and what people do with them; `tests.shops.makers` also indexes them."""

from typing import Any

import factory
from django.utils import timezone

from apps.rankings import rankings
from apps.rankings.models import Rank
from apps.saves.models import Save, SaveList
from apps.shops import hours, hours_text
from apps.shops.geo import cities
from apps.shops.models import City, Shop, ShopMember, ShopType
from apps.uv.models import DailyVisits
from tests.factories.people import UserFactory
from tests.factories.rows import RowFactory

#: Broken Bridge, West Lake.
LAT, LNG = 30.2590, 120.1480


class ShopTypeFactory(RowFactory[ShopType]):
    """The type of a slug, made once."""

    class Meta:
        model = ShopType
        django_get_or_create = ("slug",)

    slug = "food"
    name_en = factory.LazyAttribute(lambda row: row.slug.title())
    name_zh = "美食"
    icon = factory.SelfAttribute("slug")
    has_dishes = factory.LazyAttribute(lambda row: row.slug == "food")


class CityFactory(RowFactory[City]):
    """Hangzhou with ten kilometres around its centre; Shanghai with `shanghai=True`."""

    class Meta:
        model = City
        django_get_or_create = ("slug",)

    class Params:
        shanghai = factory.Trait(
            slug="shanghai", name_en="Shanghai", name_zh="上海", lat=31.2304, lng=121.4737, position=2
        )

    slug = "hangzhou"
    name_en, name_zh = "Hangzhou", "杭州"
    lat, lng = 30.2560, 120.1650
    position = 1

    @classmethod
    def _adjust_kwargs(cls, **kwargs: Any) -> dict[str, Any]:
        """Add the edges that are not given."""
        city = City(lat=kwargs["lat"], lng=kwargs["lng"])
        city.set_bounds_around(cities.DEFAULT_RADIUS_M)
        return {edge: getattr(city, edge) for edge in ("south", "west", "north", "east")} | kwargs


class ShopFactory(RowFactory[Shop]):
    """A listed shop at the lake, which neither Redis nor the search index knows."""

    class Meta:
        model = Shop

    class Params:
        in_both_languages = factory.Trait(
            name_zh="湖边面馆", city_zh="杭州", area_zh="西湖", address_zh="南山路8号", hours_zh="11:00–22:00"
        )

    type = factory.SubFactory(ShopTypeFactory)
    name_en = "Lakeside Noodle House"
    city_en = "Hangzhou"
    area_en = "West Lake"
    address_en = "8 Nanshan Road"
    phone = "0571-8700 0001"
    hours_en = "11:00–22:00"
    lat, lng = LAT, LNG
    price = 8_800
    rating = 45
    reviews = 120
    imported_rating = 45
    popularity = 900

    @classmethod
    def _adjust_kwargs(cls, **kwargs: Any) -> dict[str, Any]:
        """Add the schedule that a shop with these hours has."""
        schedule = hours_text.read_all([kwargs["hours_en"]])
        return {"schedule": hours.dump(schedule) if schedule else ""} | kwargs


class ShopMemberFactory(RowFactory[ShopMember]):
    """A cashier of a shop, who has not got the role in the admin."""

    class Meta:
        model = ShopMember

    class Params:
        owner = factory.Trait(role=ShopMember.Role.OWNER)

    shop = factory.SubFactory(ShopFactory)
    user = factory.SubFactory(UserFactory)


class SaveFactory(RowFactory[Save]):
    """A saved shop; or a note, with `shop=None`."""

    class Meta:
        model = Save

    user = factory.SubFactory(UserFactory)
    shop = factory.SubFactory(ShopFactory)


class SaveListFactory(RowFactory[SaveList]):
    """A list that its owner alone sees."""

    class Meta:
        model = SaveList

    owner = factory.SubFactory(UserFactory)
    name = factory.Sequence(lambda number: f"List {number}")


class RankFactory(RowFactory[Rank]):
    """The first place of this week's ranking in the shop's city."""

    class Meta:
        model = Rank

    week = factory.LazyFunction(lambda: rankings.monday(timezone.localdate()))
    city = "hangzhou"
    shop = factory.SubFactory(ShopFactory)
    type = factory.SelfAttribute("shop.type")
    rank = 1
    score = factory.LazyAttribute(lambda row: 1 / row.rank)


class DailyVisitsFactory(RowFactory[DailyVisits]):
    """Five visitors of a page today, each of whom loaded it twice."""

    class Meta:
        model = DailyVisits

    day = factory.LazyFunction(timezone.localdate)
    scope = "shop"
    uv = 5
    pv = factory.LazyAttribute(lambda row: 2 * row.uv)
