"""Slots on people's pages that higher apps fill."""

from apps.accounts.models import User
from apps.web.slots import Slot

#: Beside the name: 10 the follow button, 20 the streak badge, 30 common follows.
PERSON_HEAD: Slot[User] = Slot("person_head")
#: Below: 10 notes.
PERSON: Slot[User] = Slot("person")
#: My own page, above the settings: 10 the check-in card, 20 my notes.
ME: Slot[User] = Slot("me")
