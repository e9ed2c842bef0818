"""The ASGI application and the HTTP protocol of the web processes, both on one port.

    uvicorn config.asgi:application --http config.asgi:HttpProtocol

The event loop answers the flash sale's claims, live streams, the pages that everybody gets and what they ask
of one person; Django answers every other request in threads. While the site is closed for maintenance, a gate
in front of all of them answers.
"""

import gc
import os

from django.conf import settings

from apps.front.wsgi_bridge import WsgiBridge
from apps.web.body_limits import max_body_bytes
from config.wsgi import application as django_application

bridge = WsgiBridge(
    django_application,
    # Measured: one, two or four threads answer alike; with four, a slow page delays the fewest others.
    threads=int(os.environ.get("WEB_THREADS", "4")),
    max_body_bytes=max_body_bytes,
)

# Imported after Django's setup in config.wsgi: these modules read settings and models on import.
from apps.accounts.personal.protocol import PersonalProtocol  # noqa: E402
from apps.accounts.personal.server import PersonalParts  # noqa: E402
from apps.accounts.sessions import viewers  # noqa: E402
from apps.backoffice.lens.front import LensFront  # noqa: E402
from apps.coupons.gateway.claim_gateway import Gateway  # noqa: E402
from apps.coupons.gateway.claim_protocol import ClaimProtocol  # noqa: E402
from apps.coupons.gateway.streaming import build_server  # noqa: E402
from apps.front import observe, process_end, ready_signal  # noqa: E402
from apps.front.documents.protocol import DocumentProtocol  # noqa: E402
from apps.front.documents.server import SharedDocuments  # noqa: E402
from apps.front.live.protocol import LiveProtocol  # noqa: E402
from apps.logship.access_log import AccessLog  # noqa: E402
from apps.logship.segments import Segment  # noqa: E402
from apps.metrics import sending  # noqa: E402
from apps.metrics.requests import time_answer  # noqa: E402
from apps.siteconfig.maintenance.gate import MaintenanceGate  # noqa: E402
from apps.siteconfig.maintenance.switch import switch  # noqa: E402
from apps.siteconfig.site_state import poller  # noqa: E402
from apps.uv.gathered_views import GatheredViews  # noqa: E402

views = GatheredViews(viewers.identify)
process_end.register(views.count)
if settings.METRICS:
    observe.add(time_answer)
    sending.start("web")
documents = SharedDocuments(bridge, django=django_application, observe=views.add)
personal = PersonalParts(documents, django=django_application)
gateway = Gateway(personal)
served = LensFront(gateway if settings.SALE_GATEWAY else personal)
application = observe.ObservedApplication(MaintenanceGate(served, django=django_application))
access_log = AccessLog(Segment(settings.ACCESS_LOG_DIR)) if settings.ACCESS_LOG_DIR else None
if access_log:
    process_end.register(access_log.close)
    observe.add(access_log.hear)


class HttpProtocol(ClaimProtocol, PersonalProtocol, LiveProtocol, DocumentProtocol):
    """uvicorn's `--http` protocol, which serves claims, personal parts, streams and shared pages itself."""

    gateway, is_open, personal, documents = gateway, settings.SALE_GATEWAY, personal, documents
    live, gate = build_server(), switch


process_end.run_at_sigterm()
# Claims alone would never ask for what operators have set.
poller.start()

# Exclude everything loaded by now from garbage collection, which would stop the loop for 70 ms at a time.
gc.collect()
gc.freeze()
# The listener was open before, or is in the next moment.
ready_signal.send()
