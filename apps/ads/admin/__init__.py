"""The admin of ads: advertisers, campaigns, ads and charges, for managers and for advertisers."""

from apps.ads.admin import ads, advertisers, campaigns, charges

__all__ = ["ads", "advertisers", "campaigns", "charges"]
