from typing import Any

from apps.accounts.models import User
from apps.accounts.profiles import avatars

EDITABLE_FIELDS = ("nickname", "bio", "city")


def update_profile(user: User, **fields: Any) -> User:
    """Change what people say about themselves; Django's ValidationError names the wrong fields.

    `picture` is one that avatars.redraw made, `without_picture` gives way to it; every other name that
    isn't EDITABLE is ignored.
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
