"""Kinds of pages that visits are counted by: each app registers its views in its provides.py."""

import re
from dataclasses import dataclass

from django.urls import ResolverMatch

from apps.web.registry import Registry

#: The scope that counts every page, and the kind of pages that no app registered.
SITE_SCOPE, OTHER_KIND = "site", "other"
_KIND_PATTERN = re.compile(r"[a-z]{1,20}")
_SCOPE_PATTERN = re.compile(r"([a-z]{1,20})(?::([1-9][0-9]{0,18}))?")


@dataclass(frozen=True)
class PageKind:
    """A kind of page; `argument` names the URL's part with the shown object's id, "" when there is none.

    ValueError for a kind that could be taken for a scope of another meaning.
    """

    kind: str
    argument: str = ""

    def __post_init__(self) -> None:
        if not _KIND_PATTERN.fullmatch(self.kind) or self.kind in (SITE_SCOPE, OTHER_KIND):
            raise ValueError(f"{self.kind!r} can't be a kind of page")


@dataclass(frozen=True)
class Scope:
    """What is counted together: the site, a kind of page, or one object of a kind (object_id > 0)."""

    name: str = SITE_SCOPE
    object_id: int = 0


#: By the name of the view ("shops:detail").
PAGE_KINDS: Registry[PageKind] = Registry("page kinds")


def resolve_scope(match: ResolverMatch | None) -> Scope:
    """The kind and the object of the page that a URL resolved to."""
    page = PAGE_KINDS.get(match.view_name) if match else None
    if match is None or page is None:
        return Scope(OTHER_KIND)
    return Scope(page.kind, int(match.kwargs.get(page.argument, 0) if page.argument else 0))


def kinds() -> list[str]:
    """Every kind of page, OTHER last."""
    return [*sorted({page.kind for page in PAGE_KINDS.entries()}), OTHER_KIND]


def object_kinds() -> list[str]:
    """The kinds that are counted object by object."""
    return sorted({page.kind for page in PAGE_KINDS.entries() if page.argument})


def parse_scope(text: str) -> Scope:
    """ "" (the site), "shop", or "shop:12"; ValueError for what is never counted."""
    found = _SCOPE_PATTERN.fullmatch(text or SITE_SCOPE)
    name, object_id = (found[1], int(found[2] or 0)) if found else ("", 0)
    if object_id >= 2**63 or name not in (object_kinds() if object_id else [SITE_SCOPE, *kinds()]):
        raise ValueError(f'"{text[:40]}" is no page: leave it out, or say {", ".join(kinds())} or shop:12')
    return Scope(name, object_id)
