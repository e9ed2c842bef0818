"""Where a Redis key's declaration stands, and which page explains the pattern that it belongs to."""

import re
from collections.abc import Callable

from django.urls import reverse

from apps.redis_kit import schema
from apps.web.registry import Registry

#: Functions from a key's declaration to the URL of the page that explains it, or "".
PATTERN_PAGES: Registry[Callable[[schema.Key], str]] = Registry("pattern pages")


def find_page(declaration: schema.Key) -> str:
    """The URL of the first page that explains keys of this declaration, "" while there is none."""
    return next((url for url in PATTERN_PAGES.call_each(declaration) if url), "")


def declaration_url(declaration: schema.Key) -> str:
    """The URL of a declaration's page in the admin, with live samples."""
    return reverse("monitoring:pattern", args=[build_slug(declaration.pattern)])


def find_declaration(slug: str) -> schema.Key | None:
    """The declaration that `declaration_url` names by this slug, or None."""
    return next((key for key in schema.declared() if build_slug(key.pattern) == slug), None)


def build_slug(pattern: str) -> str:
    """A pattern as a part of a URL: "shops-near-geo-type"."""
    return re.sub("[^a-z0-9_]+", "-", pattern).strip("-")
