"""How large a request's body may be: uploads and forms with pictures take megabytes, JSON takes little."""

from django.conf import settings

API_ROOT, ADMIN_ROOT = "/api/", "/admin/"
#: Where managers send files of rows: /admin/shops/shop/import/.
IMPORT_END = "/import/"


def max_body_bytes(path: str) -> int:
    """The most bytes that a request to this path may bring."""
    if path.startswith(ADMIN_ROOT) and path.endswith(IMPORT_END):
        return int(settings.MAX_IMPORT_BYTES)
    is_json = path.startswith(API_ROOT) and path not in settings.API_UPLOAD_PATHS
    return int(settings.MAX_JSON_BYTES if is_json else settings.MAX_BODY_BYTES)
