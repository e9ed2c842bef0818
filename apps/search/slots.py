"""Slots on the page of results that higher apps fill."""

from apps.search.pages.parameters import Choices
from apps.web.slots import Slot

#: Below the results of what somebody chose to search for.
SEARCH_ADS: Slot[Choices] = Slot("search_ads")
