"""The site's settings, with the pages of tests.bench.site.orm_pages in front of its own."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "tests.bench.site.orm_pages"
