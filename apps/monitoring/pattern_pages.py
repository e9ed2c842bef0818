"""The admin's address of the declaration of a Redis key's pattern."""

import re

from django.urls import reverse

from apps.redis_kit import schema


def declaration_url(declaration: schema.Key) -> str:
    """The URL of a declaration's page in the admin, with live samples."""
    return reverse("monitoring:pattern", args=[build_slug(declaration.pattern)])


def find_declaration(slug: str) -> schema.Key | None:
    """The declaration that `declaration_url` names by this slug, or None."""
    return next((key for key in schema.declared() if build_slug(key.pattern) == slug), None)


def build_slug(pattern: str) -> str:
    """A pattern as a part of a URL: "shops-near-geo-type"."""
    return re.sub("[^a-z0-9_]+", "-", pattern).strip("-")
