"""Advertisers, campaigns and ads; `tests.ads.makers` also writes them to Redis."""

import factory
from django.utils import timezone

from apps.ads.models import MICROS, Ad, Advertiser, Campaign, Charge, DailyCount
from tests.factories.rows import RowFactory


class AdvertiserFactory(RowFactory[Advertiser]):
    """The advertiser of a name, made once."""

    class Meta:
        model = Advertiser
        django_get_or_create = ("name_en",)

    name_en = "Hot Pot House"


class CampaignFactory(RowFactory[Campaign]):
    """A running campaign: 100 yuan, 0.25 a click."""

    class Meta:
        model = Campaign

    advertiser = factory.SubFactory(AdvertiserFactory)
    name = "Autumn"
    price_micros = MICROS // 4
    budget_micros = 100 * MICROS


class AdFactory(RowFactory[Ad]):
    """An ad that no place and no word asks for."""

    class Meta:
        model = Ad

    campaign = factory.SubFactory(CampaignFactory)
    title_en = "Hot pot"
    link = "/shops/7/"


class AdDailyCountFactory(RowFactory[DailyCount]):
    """What became of an ad today."""

    class Meta:
        model = DailyCount

    ad = factory.SubFactory(AdFactory)
    day = factory.LazyFunction(timezone.localdate)


class ChargeFactory(RowFactory[Charge]):
    """A click that was charged just now, at its campaign's price."""

    class Meta:
        model = Charge

    ad = factory.SubFactory(AdFactory)
    campaign = factory.SelfAttribute("ad.campaign")
    kind = Charge.Kind.CLICK
    ticket = factory.Sequence(lambda number: f"ticket-{number}")
    micros = factory.SelfAttribute("campaign.price_micros")
    charged_at = factory.LazyFunction(timezone.now)
    stream_ms = 1
    stream_number = factory.Sequence(lambda number: number)
