from ninja import NinjaAPI

from apps import problems

api = NinjaAPI(title="Savor", version="1", docs_url="/docs", urls_namespace="api")
problems.install(api)
