"""What people read of notifications: targets, sentences, and the lines of a list.

Apps that have notes, orders … register in TARGETS how their things are shown.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple, Protocol

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.mailbox import people
from apps.mailbox.copies import Entry
from apps.mailbox.notices import Kind
from apps.mailbox.people import Person
from apps.web import object_urls
from apps.web.registry import Registry
from apps.web.templatetags.languages import lang

#: By kind, or by kind and state: {who} are names, {title} is the thing.
PATTERNS: dict[tuple[str, str], Promise] = {
    (Kind.LIKE, ""): gettext_lazy("{who} liked {title}"),
    (Kind.COMMENT, ""): gettext_lazy("{who} commented on {title}"),
    (Kind.REPLY, ""): gettext_lazy("{who} replied to your comment on {title}"),
    (Kind.MENTION, ""): gettext_lazy("{who} mentioned you in {title}"),
    (Kind.FOLLOW, ""): gettext_lazy("{who} started following you"),
    (Kind.CHAT, ""): gettext_lazy("{who} invited you to {title}"),
    (Kind.SALE, ""): gettext_lazy("{title} is about to go on sale"),
    (Kind.REFUND, ""): gettext_lazy("Your money for {title} is on its way back"),
    (Kind.REFUND, "expired"): gettext_lazy("{title} expired unused, and your money is on its way back"),
    (Kind.REFUND, "several-expired"): gettext_lazy(
        "Your coupons of {title} expired unused, and your money is on its way back"
    ),
    (Kind.REFUND, "returned"): gettext_lazy("You got your money for {title} back"),
    (Kind.REFUND, "expired-returned"): gettext_lazy("{title} expired unused, and you got your money back"),
    (Kind.REFUND, "several-expired-returned"): gettext_lazy(
        "Your coupons of {title} expired unused, and you got your money back"
    ),
    (Kind.ORDER, ""): gettext_lazy("Your order of {title} changed"),
    (Kind.ORDER, "paid"): gettext_lazy("Your order of {title} is paid: show its code in the shop"),
    (Kind.ORDER, "several-paid"): gettext_lazy(
        "Your orders of {title} are paid: show their codes in the shop"
    ),
    (Kind.ORDER, "used"): gettext_lazy("Your coupon {title} was used in the shop. How was it?"),
    (Kind.ORDER, "timed-out"): gettext_lazy("Your order of {title} was not paid in time and is cancelled"),
    (Kind.ORDER, "several-timed-out"): gettext_lazy(
        "Your orders of {title} were not paid in time and are cancelled"
    ),
    (Kind.ORDER, "given"): gettext_lazy("{who} took your gift: {title}"),
    (Kind.ORDER, "given-back"): gettext_lazy("{title} is yours again: the account that took it is gone"),
    (Kind.ORDER, "gift-over"): gettext_lazy("{title}, which was given to you, can't be used any more"),
    (Kind.REPORT, ""): gettext_lazy("News of {title}"),
    (Kind.REPORT, "acted"): gettext_lazy("Thank you: we did something about what you reported, {title}"),
    (Kind.REPORT, "dismissed"): gettext_lazy("We looked at what you reported and let it stand: {title}"),
    (Kind.REPORT, "hidden"): gettext_lazy("Staff hid what you wrote: {title} · See why"),
    (Kind.REPORT, "warned"): gettext_lazy("You got a warning for this: {title} · See why"),
    (Kind.REPORT, "suspended"): gettext_lazy("You can't write for some time because of {title} · See why"),
    (Kind.REPORT, "undone"): gettext_lazy("A decision about you is undone: {title}"),
    (Kind.REPORT, "owner"): gettext_lazy("{title} is yours here now"),
    (Kind.REPORT, "listed"): gettext_lazy("Thank you: {title} is on the site now"),
    (Kind.REPORT, "not_owner"): gettext_lazy("Staff did not accept what you sent about {title} · See why"),
    (Kind.REPORT, "corrected"): gettext_lazy("Thank you: {title} is corrected"),
    (Kind.REPORT, "not_corrected"): gettext_lazy("We looked at what you said about {title} and left it"),
    (Kind.REPORT, "webhook_off"): gettext_lazy("Nothing reached {title} for days: it is switched off"),
    (Kind.REPORT, "upheld"): gettext_lazy("We reviewed your objection, and the decision stands: {title}"),
    (Kind.SITE, ""): gettext_lazy("{title}"),
}
#: Kinds whose text is a state, which their sentence says; the text of others is an excerpt.
STATE_KINDS = frozenset({Kind.ORDER, Kind.REFUND, Kind.REPORT})
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


class Target(NamedTuple):
    """A thing with its title in the active language, and the page that opens it; `picture` is a URL or "".

    `state` is what became of it since, where sentences about it say so: "returned" of money that arrived.
    """

    title: str
    url: str
    picture: str = ""
    state: str = ""


class TargetSource(Protocol):
    """Loads things of one kind."""

    def load(self, ids: Collection[int], reader_id: int) -> Mapping[int, Target]:
        """The things of the given ids that this person may open; a constant number of queries."""


#: By the target kind that `notify` was given.
TARGETS: Registry[TargetSource] = Registry("targets of notifications")


def load_targets(wanted: Iterable[tuple[str, int]], reader_id: int) -> dict[tuple[str, int], Target]:
    """{(kind, id): target} of those that are still there."""
    ids: dict[str, set[int]] = {}
    for kind, target_id in wanted:
        ids.setdefault(kind, set()).add(target_id)
    found: dict[tuple[str, int], Target] = {}
    for kind, some in ids.items():
        source = TARGETS.get(kind)
        if source is not None:
            found |= {(kind, one): target for one, target in source.load(some, reader_id).items()}
    return found


def build_sentence(
    kind: str, state: str, names: Sequence[str], count: int, title: str, *, since: str = ""
) -> SafeString:
    """The sentence as HTML, with names and title emphasised; `names` are the latest of `count` people.

    `since` is what became of the thing after the notification was written.
    """
    states = (f"{state}-{since}", since, state, "") if since else (state, "")
    known = (PATTERNS.get((kind, one)) for one in states)
    pattern = next((one for one in known if one), PATTERNS[Kind.SITE, ""])
    title_html = _emphasise(title) if title else _("something that is gone")
    return format_html(str(pattern), who=list_names(names, count), title=title_html)


def list_names(names: Sequence[str], count: int) -> SafeString:
    """ "Bob", "Bob and Charlie", "Bob, Charlie and 12 others", as HTML."""
    emphasised = [_emphasise(name) for name in names[:2]]
    others = max(count - len(emphasised), 0)
    if not emphasised:
        return format_html(ngettext("{n} person", "{n} people", max(count, 1)), n=max(count, 1))
    if len(emphasised) == 1:
        first = emphasised[0]
    else:
        pattern = _("{first}, {second}") if others else _("{first} and {second}")
        first = format_html(pattern, first=emphasised[0], second=emphasised[1])
    if not others:
        return first
    pattern = ngettext("{first} and {n} other", "{first} and {n} others", others)
    return format_html(pattern, first=first, n=others)


def _emphasise(text: str) -> SafeString:
    return format_html("<b {}>{}</b>", lang(text), text)


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
        return build_sentence(
            self.entry.kind, self.entry.text, names, self.entry.actor_count, title, since=since
        )

    @property
    def excerpt(self) -> str:
        """What a person wrote; "" where the sentence says it all."""
        return "" if self.entry.kind in STATE_KINDS else self.entry.text


def build_items(entries: Sequence[Entry], reader_id: int) -> list[Item]:
    """The lines of the given entries: one query for all people, and a few for each kind of target."""
    actors = people.directory().load({actor for entry in entries for actor in entry.recent_actors})
    found = load_targets(((entry.target_kind, entry.target_id) for entry in entries), reader_id)
    return [
        Item(
            entry,
            [actors[actor] for actor in entry.recent_actors if actor in actors],
            found.get((entry.target_kind, entry.target_id)),
        )
        for entry in entries
    ]
