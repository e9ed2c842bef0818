"""Kombu's Redis transports, to which a server that refuses commands is a broker that is away.

Kombu reconnects after connection errors only: at a full disk, full memory or a read-only replica a worker
would end, and a producer would raise an error that its callers do not catch.
"""

from kombu import transport
from kombu.transport import redis, virtual

from apps.redis_kit import client

#: Errors after which a worker connects again, with growing pauses.
CONNECTION_ERRORS = (*redis.Transport.connection_errors, *client.UNAVAILABLE)


class QoS(redis.QoS):
    """The messages that a worker holds, of which it takes no more than a few at a time.

    Celery goes on when the server refuses an acknowledgement; kombu would hold the message's place for ever,
    and a worker all of whose places were held would take nothing any more. The message itself comes again
    after CELERY_VISIBILITY_SECONDS.
    """

    def ack(self, delivery_tag: str) -> None:
        try:
            super().ack(delivery_tag)
        except client.UNAVAILABLE:
            virtual.QoS.ack(self, delivery_tag)
            raise

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        try:
            super().reject(delivery_tag, requeue)
        except client.UNAVAILABLE:
            virtual.QoS.ack(self, delivery_tag)
            raise


class Channel(redis.Channel):
    """A channel of redis://, rediss:// and redis+socket:// URLs."""

    QoS = QoS


class SentinelChannel(redis.SentinelChannel):
    """A channel of sentinel:// URLs."""

    QoS = QoS


class Transport(redis.Transport):
    """The transport of redis://, rediss:// and redis+socket:// URLs."""

    Channel = Channel
    connection_errors = CONNECTION_ERRORS


class SentinelTransport(redis.SentinelTransport):
    """The transport of sentinel:// URLs."""

    Channel = SentinelChannel
    connection_errors = CONNECTION_ERRORS


def register() -> None:
    """Have kombu use these transports from now on."""
    place = f"{__name__}:Transport"
    transport.TRANSPORT_ALIASES |= {
        "redis": place,
        "rediss": place,
        "sentinel": f"{__name__}:SentinelTransport",
    }
