"""Slots on shop pages that higher apps fill."""

from apps.shops.models import Shop
from apps.web.slots import Slot

#: Between the types and the shops near you: 10 flash sales, 20 popular now, 30 notes, 60 recently viewed.
HOME: Slot[None] = Slot("home")
#: Under a shop's name: 10 vouchers, 30 notes.
SHOP: Slot[Shop] = Slot("shop")
