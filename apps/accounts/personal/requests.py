"""Reads a request for a personal part in the event loop; odd ones are left to Django, which answers alike."""

from collections.abc import Mapping
from typing import NamedTuple

from django.http import QueryDict

from apps.accounts.personal import parts
from apps.accounts.personal.parts import Ids
from apps.accounts.sessions import scopes, tokens
from apps.accounts.sessions.scopes import Scope
from apps.front.documents import page_requests
from apps.front.documents.page_requests import DocumentKey
from apps.front.short_cache import short_cache
from apps.web.problems import Problem

PATH = "/api/me/page"
#: Queries kept with their ids: everybody on a page sends the same one.
MAX_CACHED_QUERIES = 4_096
#: Longer than 50 ids of each kind; Django refuses what is longer still.
MAX_QUERY_BYTES = 4_096


class PersonalRequest(NamedTuple):
    """Who asks (the log-in's digest and the user id that it claims, "" and 0 for a visitor) about what.

    `variant` is what the headers of the answer depend on.
    """

    digest: str
    user_id: int
    ids: Mapping[str, Ids]
    variant: DocumentKey


def read(query: bytes, scheme: str, headers: Mapping[bytes, bytes]) -> PersonalRequest | None:
    """The request of a GET of PATH; None when Django has to answer."""
    ids = parse_query(query)
    if ids is None or not page_requests.DJANGO_HEADERS.isdisjoint(headers):
        return None
    raw, variant = tokens.find_sent(headers), page_requests.read_key(PATH, scheme, headers)
    if not raw and b"authorization" in headers or raw and not tokens.has_token_shape(raw) or variant is None:
        return None
    user_id = tokens.claimed_user_id(raw) if raw else 0
    if raw and (not user_id or Scope.READ not in scopes.find(raw)):
        return None
    digest = tokens.digest(raw) if raw else ""
    return PersonalRequest(digest, user_id, ids, variant)


@short_cache(MAX_CACHED_QUERIES)
def parse_query(query: bytes) -> dict[str, Ids] | None:
    """The ids by parameter; None for a query that Django refuses."""
    if len(query) > MAX_QUERY_BYTES:
        return None
    try:
        return parts.parse_ids(QueryDict(query.decode("latin-1")).dict())
    except (Problem, ValueError):
        return None
