"""The site's settings, with the pages of tests.bench.site_orm in front of its own."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "tests.bench.site_orm"
