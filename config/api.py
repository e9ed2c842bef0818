from ninja import NinjaAPI

from apps import problems
from apps.accounts.api import router as accounts
from apps.coupons.api import router as coupons
from apps.shops.api import router as shops

api = NinjaAPI(title="Savor", version="1", docs_url="/docs", urls_namespace="api")
problems.install(api)
api.add_router("", accounts, tags=["accounts"])
api.add_router("", shops, tags=["shops"])
api.add_router("", coupons, tags=["coupons"])
