"""How large a request may be: files of rows and pictures take megabytes, other forms and JSON little."""

import re

from django.conf import settings

#: In the environment of a request whose body is read only when a view wants it (front.wsgi_bridge).
BODY_WAITS = "savor.body_waits"
API_ROOT = "/api/"
#: Where managers send files of rows: /admin/shops/shop/import/.
IMPORTS = "^/admin/[a-z]+/[a-z]+/import/$"
#: Pages whose forms have pictures. deploy/nginx.conf has both expressions, too.
FILE_PAGES = "^/({})/$".format(
    "|".join(
        [
            "notes/(new|photos|[0-9]+/edit)",
            "chats/[0-9]+/messages",
            "shops/(propose|[0-9]+/(claim|photos/add))",
            "welcome|me/edit|redeem/scan",
            "admin/[a-z]+/[a-z]+/(add|new-flash-sale|[0-9]+/change)",
        ]
    )
)
_IMPORTS, _FILE_PAGES = re.compile(IMPORTS), re.compile(FILE_PAGES)


def max_body_bytes(path: str) -> int:
    """The most bytes that a request to this path may bring."""
    if is_import(path):
        return int(settings.MAX_IMPORT_BYTES)
    if path in settings.API_UPLOAD_PATHS or _FILE_PAGES.match(path):
        return int(settings.MAX_BODY_BYTES)
    return int(settings.MAX_JSON_BYTES if path.startswith(API_ROOT) else settings.MAX_FORM_BYTES)


def is_import(path: str) -> bool:
    """Whether managers send files of rows there."""
    return _IMPORTS.match(path) is not None
