"""The ASGI application and the HTTP protocol of the web processes, both on one port.

    uvicorn config.asgi:application --http config.asgi:HttpProtocol

The event loop answers the flash sale's claims and live streams; Django answers every other request in
threads.
"""

import gc
import os

from django.conf import settings

from apps.web.wsgi_bridge import WsgiBridge
from config.wsgi import application as django_application

bridge = WsgiBridge(
    django_application,
    threads=int(os.environ.get("WEB_THREADS", "4")),
    max_body_bytes=settings.MAX_BODY_BYTES,
)

# Imported after Django's setup in config.wsgi: these modules read settings and models on import.
from apps.coupons.gateway.claim_gateway import Gateway  # noqa: E402
from apps.coupons.gateway.claim_protocol import ClaimProtocol  # noqa: E402
from apps.coupons.gateway.streaming import Streams  # noqa: E402

_streams = Streams(bridge)
gateway = Gateway(_streams)
application = gateway if settings.SALE_GATEWAY else _streams


class HttpProtocol(ClaimProtocol):
    """uvicorn's `--http` protocol, which passes flash sale claims directly to this process's gateway."""

    gateway, is_open = gateway, settings.SALE_GATEWAY


# Exclude everything loaded by now from garbage collection, which would stop the loop for 70 ms at a time.
gc.collect()
gc.freeze()
