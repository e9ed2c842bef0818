from apps.ads.models.ads import Ad, AdLocation, AdWord
from apps.ads.models.campaigns import Advertiser, Campaign
from apps.ads.models.counts import Charge, DailyCount, RefusedCharge

__all__ = [
    "Ad",
    "AdLocation",
    "AdWord",
    "Advertiser",
    "Campaign",
    "Charge",
    "DailyCount",
    "RefusedCharge",
]
