"""The site's settings, with lab.bench.site.orm_pages as the ROOT_URLCONF."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "lab.bench.site.orm_pages"
