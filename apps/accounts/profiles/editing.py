"""Changing a profile, for the page and the API."""

from typing import Any

from apps.accounts.models import User
from apps.accounts.profiles import avatars

EDITABLE_FIELDS = ("nickname", "bio", "city")


def update_profile(user: User, **fields: Any) -> User:
    """Set the EDITABLE fields of a user; ValidationError names the wrong ones, other names are ignored.

    `picture` is one that avatars.redraw returned; `without_picture` is ignored when a picture is given.
    """
    changed = [name for name in EDITABLE_FIELDS if name in fields]
    for name in changed:
        setattr(user, name, fields[name])
    user.clean_fields(exclude={field.name for field in User._meta.fields}.difference(changed))
    user.save(update_fields=changed)
    if fields.get("picture"):
        avatars.store(user, fields["picture"])
    elif fields.get("without_picture"):
        avatars.remove(user)
    return user
