"""The JSON of mentions: the people named in a text, and the ids that were picked for its names."""

from collections.abc import Sequence
from typing import Annotated, Any

from ninja import Schema
from pydantic import Field

from apps.accounts.mentions.links import Link
from apps.accounts.mentions.parsing import MAX_MENTIONS
from apps.web.problems import RowId

MentionIds = Annotated[
    list[RowId], Field(max_length=MAX_MENTIONS, description="the people meant by @names of the text")
]


class MentionedOut(Schema):
    """`name` is what the text says after "@"; the person may have another by now."""

    id: int
    name: str


def build_mentioned(links: Sequence[Link]) -> list[dict[str, Any]]:
    """Return the people mentioned in a text, for MentionedOut."""
    return [{"id": link.person_id, "name": link.name} for link in links]
