"""What pattern pages give to others: the page that explains a Redis key."""

from apps.monitoring.pattern_pages import PATTERN_PAGES
from apps.patterns import registry

PATTERN_PAGES.register(registry.find_page)
