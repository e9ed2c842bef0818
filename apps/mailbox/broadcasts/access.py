"""Which broadcasts a person may open, and how the list of notifications shows them."""

from collections.abc import Collection

from django.http import Http404

from apps.mailbox import people
from apps.mailbox.copies import unread
from apps.mailbox.copies.merging import Announcement
from apps.mailbox.display.targets import Target
from apps.mailbox.kinds import Kind
from apps.mailbox.listing import BROADCAST
from apps.mailbox.models import Audience, Broadcast, Notification
from apps.web import object_urls


class BroadcastTargets:
    """The titles of messages that were sent and not stopped."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """Each leads to its own page."""
        rows = Broadcast.objects.filter(state=Broadcast.State.SENT).in_bulk(ids)
        return {
            pk: Target(found.title, object_urls.build("mailbox:broadcast", pk)) for pk, found in rows.items()
        }


def find_broadcast(broadcast_id: int, user_id: int) -> Broadcast:
    """A message that was sent to this person; Http404."""
    found = Broadcast.objects.filter(pk=broadcast_id, state=Broadcast.State.SENT).first()
    if found is None or not _is_for(found, user_id):
        raise Http404
    return found


def _is_for(found: Broadcast, user_id: int) -> bool:
    if found.audience == Audience.LIST:
        return Notification.objects.about(user_id, Kind.SITE, BROADCAST, found.pk).exists()
    sent_at = found.sent_at.timestamp() if found.sent_at else 0
    about = Announcement(found.pk, sent_at, people.directory().city_key(found.city))
    return unread.heads_from_sql([user_id])[user_id].reader.may_read(about)
