from ninja import NinjaAPI

from apps import problems
from apps.accounts.api import router as accounts
from apps.coupons.api import router as coupons

api = NinjaAPI(title="Savor", version="1", docs_url="/docs", urls_namespace="api")
problems.install(api)
api.add_router("", accounts, tags=["accounts"])
api.add_router("", coupons, tags=["coupons"])
