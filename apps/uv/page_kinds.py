"""What a page is about: apps register the names of their views here when they are ready."""

import re
from dataclasses import dataclass

from django.urls import ResolverMatch

#: The scope that counts every page, and the kind of pages that nobody registered.
SITE_SCOPE, OTHER_KIND = "site", "other"
_KIND_PATTERN = re.compile(r"[a-z]{1,20}")
_SCOPE_PATTERN = re.compile(r"([a-z]{1,20})(?::([1-9][0-9]{0,18}))?")


@dataclass(frozen=True)
class PageKind:
    """A kind of page; `argument` is the name of the URL's part that tells which object it shows, or ""."""

    kind: str
    argument: str = ""


@dataclass(frozen=True)
class Scope:
    """What is counted together: the site, a kind of page, or one object of a kind (object_id > 0)."""

    name: str = SITE_SCOPE
    object_id: int = 0


_kinds_by_view: dict[str, PageKind] = {}


def register(view_name: str, *, kind: str, argument: str = "") -> None:
    """Count a view ("shops:detail") as a kind of page; with `argument` also object by object."""
    if not _KIND_PATTERN.fullmatch(kind) or kind in (SITE_SCOPE, OTHER_KIND):
        raise ValueError(f"{kind!r} can't be a kind of page")
    _kinds_by_view[view_name] = PageKind(kind, argument)


def resolve_scope(match: ResolverMatch | None) -> Scope:
    """The kind and the object that a resolved address is about."""
    page = _kinds_by_view.get(match.view_name, PageKind(OTHER_KIND)) if match else PageKind(OTHER_KIND)
    held = match.kwargs.get(page.argument, 0) if match and page.argument else 0
    return Scope(page.kind, int(held))


def kinds() -> list[str]:
    """Every kind of page, OTHER last."""
    return [*sorted({page.kind for page in _kinds_by_view.values()}), OTHER_KIND]


def object_kinds() -> list[str]:
    """The kinds that are counted object by object."""
    return sorted({page.kind for page in _kinds_by_view.values() if page.argument})


def parse_scope(text: str) -> Scope:
    """ "" (the site), "shop", or "shop:12"; ValueError for what is never counted."""
    found = _SCOPE_PATTERN.fullmatch(text or SITE_SCOPE)
    name, object_id = (found[1], int(found[2] or 0)) if found else ("", 0)
    if object_id >= 2**63 or name not in (object_kinds() if object_id else [SITE_SCOPE, *kinds()]):
        raise ValueError(f'"{text[:40]}" is no page: leave it out, or say {", ".join(kinds())} or shop:12')
    return Scope(name, object_id)
