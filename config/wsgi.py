"""The WSGI application; config.asgi runs it in threads."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django_application = get_wsgi_application()

# Imported after the settings are loaded: this module reads them on import.
from apps.web.problems.wsgi_guard import guard_charset  # noqa: E402

application = guard_charset(django_application)
