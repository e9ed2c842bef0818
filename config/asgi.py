"""The ASGI application and the HTTP protocol of the web processes, both on one port.

    uvicorn config.asgi:application --http config.asgi:HttpProtocol

Routes answer the flash sale's claims, live streams, the pages that everybody gets and what they ask of one
person in the event loop; Django answers every other request in threads. While the site is closed for
maintenance, a gate in front of all of them answers.
"""

import gc

from django.conf import settings

from apps.front.wsgi_bridge import WsgiBridge
from apps.web.body_limits import max_body_bytes
from config.wsgi import application as django_application

bridge = WsgiBridge(
    django_application,
    threads=settings.WEB_THREADS,
    max_body_bytes=max_body_bytes,
)

# Imported after Django's setup in config.wsgi: these modules read settings and models on import.
from apps.accounts.personal.route import PersonalRoute  # noqa: E402
from apps.accounts.sessions import log_in_reader, renewals  # noqa: E402
from apps.backoffice.lens.front import LoopLens  # noqa: E402
from apps.chat.live_topics import list_topics as list_chat_topics  # noqa: E402
from apps.coupons.gateway import streaming  # noqa: E402
from apps.coupons.gateway.route import ClaimRoute  # noqa: E402
from apps.coupons.orders import lost_sales  # noqa: E402
from apps.front import process_end, protocol, ready_signal  # noqa: E402
from apps.front.asgi import Front  # noqa: E402
from apps.front.documents.route import DocumentRoute  # noqa: E402
from apps.front.observe import Observer  # noqa: E402
from apps.front.refusal_route import RefusalRoute  # noqa: E402
from apps.logship.access_log import AccessLog  # noqa: E402
from apps.logship.segments import Segment  # noqa: E402
from apps.metrics import sending  # noqa: E402
from apps.metrics.requests import time_answers  # noqa: E402
from apps.monitoring.route import HealthRoute  # noqa: E402
from apps.search.route import SearchRefusalRoute, SuggestRoute  # noqa: E402
from apps.siteconfig.maintenance.gate import MaintenanceGate  # noqa: E402
from apps.siteconfig.site_state import poller  # noqa: E402
from apps.uv.page_views import GatheredViews  # noqa: E402
from apps.web import sql_deadlines  # noqa: E402

# Before the first query.
sql_deadlines.use(sql_deadlines.web())

observers: list[Observer] = []
if settings.METRICS:
    observers.append(time_answers)
    sending.start("web")
if settings.ACCESS_LOG_DIR:
    access_log = AccessLog(Segment(settings.ACCESS_LOG_DIR))
    observers.append(access_log.hear)
    process_end.register(access_log.close)
views = GatheredViews(log_in_reader.identify)
process_end.register(views.count)

claims = [ClaimRoute()] if settings.SALE_GATEWAY else []
personal = PersonalRoute(django_application)
live = streaming.build_route(list_chat_topics)
documents = DocumentRoute(django_application, observe=views.add)

application = Front(
    [
        *claims,
        personal,
        live,
        documents,
        HealthRoute(),
        SearchRefusalRoute(django_application),
        SuggestRoute(django_application),
        RefusalRoute(django_application),
    ],
    django=bridge,
    gate=MaintenanceGate(django_application),
    observers=observers,
    lens=LoopLens(),
)


class HttpProtocol(protocol.HttpProtocol):
    """uvicorn's `--http` protocol, whose connections ask the application's routes."""

    front = application


process_end.run_at_sigterm()
# Claims alone would never ask for what operators have set.
poller.start()
lost_sales.start()
renewals.start()

# Exclude everything loaded by now from garbage collection, which would stop the loop for 70 ms at a time.
gc.collect()
gc.freeze()
# The listener was open before, or is in the next moment.
ready_signal.send()
