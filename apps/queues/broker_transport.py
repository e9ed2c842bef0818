"""Kombu's Redis transports, to which a server that refuses commands is a broker that is away.

Kombu reconnects after connection errors only: at a full disk, full memory or a read-only replica a worker
would end, and a producer would raise what nobody expects.
"""

from kombu import transport
from kombu.transport import redis

from apps.redis_kit import client

#: Errors after which a worker connects again, with growing pauses.
CONNECTION_ERRORS = (*redis.Transport.connection_errors, *client.UNAVAILABLE)


class Transport(redis.Transport):
    """The transport of redis://, rediss:// and redis+socket:// URLs."""

    connection_errors = CONNECTION_ERRORS


class SentinelTransport(redis.SentinelTransport):
    """The transport of sentinel:// URLs."""

    connection_errors = CONNECTION_ERRORS


def register() -> None:
    """Have kombu use these transports from now on; AppConfig.ready() calls this."""
    place = f"{__name__}:Transport"
    transport.TRANSPORT_ALIASES |= {
        "redis": place,
        "rediss": place,
        "sentinel": f"{__name__}:SentinelTransport",
    }
