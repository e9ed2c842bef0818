"""The lines of a person's list as a page or an answer shows them; a constant number of queries for a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.utils import timezone
from django.utils.safestring import SafeString

from apps.mailbox import people
from apps.mailbox.copies.newest import Entry
from apps.mailbox.display import targets, texts
from apps.mailbox.display.targets import Target
from apps.mailbox.people import Person
from apps.web import object_urls

ICONS = {
    "like": "heart",
    "comment": "comment",
    "reply": "reply",
    "mention": "me",
    "follow": "person-add",
    "order": "orders",
    "sale": "flash",
    "refund": "wallet",
    "chat": "people",
    "report": "flag",
    "site": "bell",
}


@dataclass(frozen=True)
class Item:
    """One line: who (the latest of `actor_count`) did what to which target, which is None when it is gone."""

    entry: Entry
    actors: list[Person]
    target: Target | None

    @property
    def id(self) -> str:
        """Its id in the API: "17", or "b3" of a broadcast."""
        return str(self.entry.number) if self.entry.number > 0 else f"b{-self.entry.number}"

    @property
    def moment(self) -> datetime:
        return self.entry.moment

    @property
    def day(self) -> date:
        """The day on which it happened, in the site's time zone."""
        return timezone.localtime(self.moment).date()

    @property
    def icon(self) -> str:
        return ICONS[self.entry.kind]

    @property
    def open_url(self) -> str:
        """The page that marks it as read and goes on to the target."""
        view = "mailbox:open" if self.entry.number > 0 else "mailbox:broadcast"
        return object_urls.build(view, abs(self.entry.number))

    @property
    def url(self) -> str:
        """The target's page; of a follower their own, and the list itself where there is nothing to open."""
        if self.target:
            return self.target.url
        return self.actors[0].url if self.entry.kind == "follow" and self.actors else ""

    @property
    def sentence(self) -> SafeString:
        """What happened, as HTML."""
        names = [actor.nickname for actor in self.actors]
        title, since = (self.target.title, self.target.state) if self.target else ("", "")
        return texts.build(
            self.entry.kind, self.entry.text, names, self.entry.actor_count, title, since=since
        )

    @property
    def excerpt(self) -> str:
        """What somebody wrote; "" where the sentence says it all."""
        return "" if self.entry.kind in texts.STATE_KINDS else self.entry.text


def build(entries: Sequence[Entry], reader_id: int) -> list[Item]:
    """The lines of these entries: one query for all people, and a few for each kind of target."""
    actors = people.directory().load({actor for entry in entries for actor in entry.recent_actors})
    found = targets.load(((entry.target_kind, entry.target_id) for entry in entries), reader_id)
    return [
        Item(
            entry,
            [actors[actor] for actor in entry.recent_actors if actor in actors],
            found.get((entry.target_kind, entry.target_id)),
        )
        for entry in entries
    ]
