"""People in the JSON API. The phone is nobody else's business: it is in none of these."""

from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from apps.accounts import profile_counts
from apps.accounts.models import User
from apps.follows import people
from apps.follows.models import Standing


class PersonOut(Schema):
    id: int
    nickname: str
    avatar: str | None
    bio: str
    city: str
    joined_at: datetime


class RowOut(PersonOut):
    followed: bool = Field(description="by me")


class SuggestedOut(RowOut):
    via: int = Field(description="how many whom I follow follow them")


class ProfileOut(RowOut):
    followers: int
    following: int
    counts: dict[str, int] = Field(description="everything that is counted of a person, by name")


class RowsOut(Schema):
    items: list[RowOut]
    next: str | None


class SuggestedPeopleOut(Schema):
    items: list[SuggestedOut]
    next: None = None


class PressedOut(Schema):
    following: bool
    followers: int


def person(user: User) -> dict[str, Any]:
    """What everybody may know of a person."""
    told = {name: getattr(user, name) for name in ("id", "nickname", "bio", "city", "joined_at")}
    return told | {"avatar": user.avatar.url if user.avatar else None}


def row(one: people.Row) -> dict[str, Any]:
    """A person in a list."""
    return person(one.person) | {"followed": one.followed, "via": one.via}


def page(found: people.Page) -> dict[str, Any]:
    """A page of people."""
    return {"items": [row(one) for one in found.items], "next": found.next}


def profile(user: User, *, followed: bool) -> dict[str, Any]:
    """A person's own page."""
    standing = Standing.objects.of(user.pk)
    told = {"followed": followed, "followers": standing.followers, "following": standing.following}
    return person(user) | told | {"counts": {one.name: one.number for one in profile_counts.shown(user)}}
