"""The site's settings, with tests.bench.site.orm_pages as the ROOT_URLCONF."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "tests.bench.site.orm_pages"
