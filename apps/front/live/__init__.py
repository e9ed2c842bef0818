"""Live streams: each process holds one subscription, which feeds all the streams that are open in it.

live.publish([7, 9], "mailbox", {"unread": 3})
"""

from apps.front.live.publishing import Event as Event
from apps.front.live.publishing import close_streams as close_streams
from apps.front.live.publishing import follow as follow
from apps.front.live.publishing import publish as publish
from apps.front.live.publishing import publish_each as publish_each
from apps.front.live.publishing import publish_to_all as publish_to_all
from apps.front.live.publishing import unfollow as unfollow
from apps.front.live.topics import Topic as Topic
