"""The sentence of a notification: who did what to which thing."""

from collections.abc import Sequence

from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.mailbox.kinds import Kind
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
    (Kind.ORDER, "used"): gettext_lazy("Your coupon {title} was used in the shop"),
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
    (Kind.REPORT, "hidden"): gettext_lazy("Staff hid what you wrote: {title}. See why"),
    (Kind.REPORT, "warned"): gettext_lazy("You got a warning for this: {title}. See why"),
    (Kind.REPORT, "suspended"): gettext_lazy("You can't write for some time because of {title}. See why"),
    (Kind.REPORT, "undone"): gettext_lazy("A decision about you is undone: {title}"),
    (Kind.REPORT, "owner"): gettext_lazy("{title} is yours here now"),
    (Kind.REPORT, "listed"): gettext_lazy("Thank you: {title} is on the site now"),
    (Kind.REPORT, "not_owner"): gettext_lazy("Staff did not accept what you sent about {title}. See why"),
    (Kind.REPORT, "webhook_off"): gettext_lazy("Nothing reached {title} for days: it is switched off"),
    (Kind.REPORT, "upheld"): gettext_lazy("We reviewed your appeal, and the decision stands: {title}"),
    (Kind.SITE, ""): gettext_lazy("{title}"),
}
#: Kinds whose text is a state, which their sentence says; the text of others is an excerpt.
STATE_KINDS = frozenset({Kind.ORDER, Kind.REFUND, Kind.REPORT})


def build(
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
