"""Actions: an order that somebody paid after they followed an ad of its shop."""

from datetime import UTC, datetime

from django.utils.translation import gettext as _

from apps.ads import keys, serving
from apps.ads.models import Ad
from apps.ads.serving import Recorded
from apps.ads.viewer import Viewer
from apps.coupons.models import VoucherOrder
from apps.redis_kit import client
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id


def record(ticket: str, viewer: Viewer) -> Recorded:
    """Record the action of a ticket whose viewer paid an order of the ad's shop after the click.

    Problem 401 for a visitor, 409 "nothing_bought" for somebody who followed the ad and bought nothing.
    """
    if viewer.user_id is None:
        raise Problem(401, "not_logged_in")
    ad_id, _dash, random_part = ticket.partition("-")
    clicked_ms = client.get().hget(keys.TICKET(ticket=random_part), "clicked")
    if clicked_ms and not _has_bought(ad_id, viewer.user_id, int(clicked_ms)):
        raise Problem(409, "nothing_bought", _("Nothing was bought here since the ad was followed."))
    return serving.record_action(ticket, viewer)


def _has_bought(ad_id: str, user_id: int, since_ms: int) -> bool:
    since = datetime.fromtimestamp(since_ms / 1000, tz=UTC)
    ad = Ad.objects.filter(pk=parse_row_id(ad_id), shop__isnull=False).first()
    orders = VoucherOrder.objects.paid().filter(user=user_id, accepted_at__gte=since)
    return ad is not None and orders.filter(voucher__shop=ad.shop_id).exists()
