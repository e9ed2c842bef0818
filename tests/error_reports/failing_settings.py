"""The site's settings with two pages more, for processes whose errors are reported."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "tests.error_reports.failing_urls"
