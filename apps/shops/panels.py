"""Slots on shop pages that higher apps fill."""

from apps.shops.models import Shop
from apps.web.slots import Slot

#: Between the types and the shops near you: 10 flash sales, 20 popular now, 30 notes.
HOME: Slot[None] = Slot("home")
#: Below: 10 recently viewed.
HOME_END: Slot[None] = Slot("home_end")
#: Beside a shop's lead picture: 10 the album of the shop and its notes.
SHOP_ALBUM: Slot[Shop] = Slot("shop_album")
#: First in a shop's action bar: 10 save. Each shows one element of class "action", an icon and a `<span>` of
#: one word, or a form around such a button. The bar's height is reserved, whatever stands in it.
SHOP_ACTIONS: Slot[Shop] = Slot("shop_actions")
#: Beside the badge of a shop's type, above its name: 10 its place in a ranking. Each shows one badge.
SHOP_BADGES: Slot[Shop] = Slot("shop_badges")
#: Under a shop's name: 10 vouchers, 20 recommended dishes, 30 notes.
SHOP: Slot[Shop] = Slot("shop")
#: At the end of the column beside: 10 an ad's box.
SHOP_END: Slot[Shop] = Slot("shop_end")
