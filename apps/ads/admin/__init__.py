"""The admin of ads: advertisers, campaigns, ads and charges, for managers and for advertisers."""

from apps.ads.admin import ads, advertisers, campaigns

__all__ = ["ads", "advertisers", "campaigns"]
