import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django_application = get_wsgi_application()

# After the settings: the floors below read them when they are imported.
from apps.web.problems.wsgi_guard import guard_charset  # noqa: E402

application = guard_charset(django_application)
