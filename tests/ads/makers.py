"""Valid advertisers, campaigns and ads; a test names only what it is about."""

from collections.abc import Iterable
from typing import Any

from apps.ads import changes, keys, serving
from apps.ads.models import Ad, Advertiser, Campaign
from apps.ads.viewer import Viewer
from apps.redis_kit import client
from tests.factories import AdFactory, AdvertiserFactory, CampaignFactory

VIEWER = Viewer("alices-browser")
ANYWHERE = ["everywhere"]


def advertiser() -> Advertiser:
    return AdvertiserFactory.create(name_zh="火锅店")


def campaign(**columns: Any) -> Campaign:
    """A running campaign, in SQL and Redis: 100 yuan, 0.25 a click."""
    return changes.save_campaign(CampaignFactory.build(**{"advertiser": advertiser()} | columns))


def ad(
    of: Campaign | None = None,
    *,
    words: Iterable[str] = (),
    locations: Iterable[tuple[str, str]] = (("", ""),),
    **columns: Any,
) -> Ad:
    """An ad in SQL and Redis, of a campaign of its own if none is named; everywhere if no place is."""
    row = AdFactory.build(campaign=of or campaign(), **columns)
    return changes.save_ad(row, locations=locations, words=words)


def serve(*words: str, viewer: Viewer = VIEWER, locations: Iterable[str] = ANYWHERE) -> serving.Served:
    """An ad for a page; there must be one."""
    served = serving.choose("shop", words, list(locations), viewer)
    assert served
    return served


def see(served: serving.Served, viewer: Viewer = VIEWER) -> serving.Recorded:
    """The view of an ad that was served, two seconds ago."""
    recorded = serving.record_view(served.ticket, viewer)
    move_back(served, "seen", milliseconds=2_000)
    return recorded


def move_back(served: serving.Served, event: str, *, milliseconds: int) -> None:
    """Make an event of a ticket so much older."""
    ticket_key = keys.TICKET(ticket=served.ticket.partition("-")[2])
    if client.get().hexists(ticket_key, event):
        client.get().hincrby(ticket_key, event, -milliseconds)


def left(of: Campaign) -> int:
    """Micros that Redis has left of a campaign's budget."""
    return int(str(client.get().hget(keys.LEFT(), str(of.pk))))
