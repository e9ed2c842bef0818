"""JSON bodies of people; none of them has the phone number, which is private."""

from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from apps.accounts.models import User
from apps.accounts.profiles import profile_counts
from apps.follows import person_lists
from apps.follows.models import Standing
from apps.web import paging


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
    via: int = Field(description="how many of the people I follow follow them")


class ProfileOut(ListedPersonOut):
    followers: int
    following: int
    counts: dict[str, int] = Field(description="everything that is counted of a person, by name")


class PeopleOut(Schema):
    items: list[ListedPersonOut]
    next: paging.Next


class SuggestedPeopleOut(Schema):
    items: list[SuggestedPersonOut]
    next: paging.Next


class FollowStateOut(Schema):
    following: bool
    followers: int


def build_person(user: User) -> dict[str, Any]:
    """A person's public fields as a PersonOut."""
    fields = {name: getattr(user, name) for name in ("id", "nickname", "bio", "joined_at")}
    return fields | {"city": user.city_name, "avatar": user.avatar.url if user.avatar else None}


def build_row(row: person_lists.PersonRow) -> dict[str, Any]:
    """A row of a list as a ListedPersonOut or SuggestedPersonOut."""
    return build_person(row.person) | {"followed": row.followed, "via": row.via}


def build_page(page: person_lists.PersonPage) -> dict[str, Any]:
    """A page of people as a PeopleOut."""
    return {"items": [build_row(row) for row in page.items], "next": page.next}


def build_profile(user: User, *, followed: bool) -> dict[str, Any]:
    """A person with follow state and counts as a ProfileOut."""
    counts = Standing.objects.for_user(user.pk)
    follows = {"followed": followed, "followers": counts.followers, "following": counts.following}
    all_counts = {count.name: count.number for count in profile_counts.read_all(user)}
    return build_person(user) | follows | {"counts": all_counts}
