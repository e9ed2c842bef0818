"""People in the JSON API. The phone is nobody else's business: it is in none of these."""

from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from apps.accounts.models import User
from apps.accounts.profiles import profile_counts
from apps.follows import person_lists
from apps.follows.models import Standing


class PersonOut(Schema):
    id: int
    nickname: str
    avatar: str | None
    bio: str
    city: str
    joined_at: datetime


class ListedPersonOut(PersonOut):
    followed: bool = Field(description="by me")


class SuggestedPersonOut(ListedPersonOut):
    via: int = Field(description="how many whom I follow follow them")


class ProfileOut(ListedPersonOut):
    followers: int
    following: int
    counts: dict[str, int] = Field(description="everything that is counted of a person, by name")


class PeopleOut(Schema):
    items: list[ListedPersonOut]
    next: str | None


class SuggestedPeopleOut(Schema):
    items: list[SuggestedPersonOut]
    next: None = None


class FollowStateOut(Schema):
    following: bool
    followers: int


def build_person(user: User) -> dict[str, Any]:
    """What everybody may know of a person."""
    told = {name: getattr(user, name) for name in ("id", "nickname", "bio", "city", "joined_at")}
    return told | {"avatar": user.avatar.url if user.avatar else None}


def build_row(one: person_lists.PersonRow) -> dict[str, Any]:
    """A person in a list."""
    return build_person(one.person) | {"followed": one.followed, "via": one.via}


def build_page(found: person_lists.PersonPage) -> dict[str, Any]:
    """A page of people."""
    return {"items": [build_row(one) for one in found.items], "next": found.next}


def build_profile(user: User, *, followed: bool) -> dict[str, Any]:
    """A person's own page."""
    standing = Standing.objects.for_user(user.pk)
    told = {"followed": followed, "followers": standing.followers, "following": standing.following}
    return (
        build_person(user)
        | told
        | {"counts": {one.name: one.number for one in profile_counts.read_all(user)}}
    )
