"""Live streams: each process holds one subscription, which feeds all the streams that are open in it.

live.publish([7, 9], "mailbox", {"unread": 3})
"""

from apps.web.live.publishing import Event as Event
from apps.web.live.publishing import close_streams as close_streams
from apps.web.live.publishing import follow as follow
from apps.web.live.publishing import publish as publish
from apps.web.live.publishing import publish_each as publish_each
from apps.web.live.publishing import publish_to_all as publish_to_all
from apps.web.live.publishing import unfollow as unfollow
from apps.web.live.topics import TOPICS as TOPICS
from apps.web.live.topics import Topic as Topic
