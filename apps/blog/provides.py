"""What notes give to others: reportables, targets, counts, what search finds, kinds of pages, rights."""

from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import ERASURES
from apps.accounts.pending_actions import RESUMABLES, Resumable
from apps.accounts.personal.parts import PAGE_PARTS
from apps.accounts.profiles.profile_counts import PROFILE_COUNTS
from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.blog import (
    erasure,
    findable_notes,
    like_copies,
    likes,
    live_settings,
    profile_counts,
    reconcile,
    reportable,
)
from apps.blog.display import note_page
from apps.blog.feed import feed, inboxes
from apps.blog.like_copies import LikedPart
from apps.blog.models import Note
from apps.blog.writing import dishes, shop_scores
from apps.follows import graph
from apps.front.documents.variants import VARIANTS, Variant
from apps.mailbox.display import TARGETS
from apps.moderation import kinds
from apps.monitoring import rebuilding
from apps.monitoring.reconcile import parts
from apps.queues.owed import EFFECTS
from apps.shops.geo import location
from apps.siteconfig.components.definitions import COMPONENTS
from apps.uv.page_kinds import PAGE_KINDS, PageKind
from apps.web import findable

roles.PERMISSIONS.register(
    dict.fromkeys(
        (Role.MANAGER, Role.MODERATOR),
        (*codenames("view change", "note", "photo", "comment"), *codenames("view delete", "dish")),
    ),
    key="blog",
)
COMPONENTS.register(live_settings.NOTES, key="notes", order=20)

kinds.KINDS.register(reportable.NoteKind(), key="note", order=10)
kinds.KINDS.register(reportable.PhotoKind(), key="photo", order=20)
kinds.KINDS.register(reportable.CommentKind(), key="comment", order=30)
TARGETS.register(note_page.NoteTargets(), key="note")
TARGETS.register(note_page.CommentTargets(), key="comment")
ERASURES.register(erasure.ERASURE, key="blog", order=30)

PROFILE_COUNTS.register(profile_counts.NOTES, key="notes", order=30)
PROFILE_COUNTS.register(profile_counts.LIKES, key="likes", order=40)
PAGE_PARTS.register(LikedPart(), key="liked", order=40)
VARIANTS.register(Variant(location.COOKIE_NAME, location.read_city, location.locate_city), key="/notes/")
PAGE_KINDS.register(PageKind("notes"), key="blog:hot")
PAGE_KINDS.register(PageKind("feed"), key="blog:feed")
PAGE_KINDS.register(PageKind("note", "note_id"), key="blog:note")

findable.KINDS.register(findable_notes.KIND, key=findable_notes.NAME, order=20)
findable.CHANGED.register(findable_notes.SHOP_LISTENER, key="blog.notes_of_shop")
graph.FOLLOW_STARTED.register(inboxes.add_followed_author)
graph.FOLLOW_ENDED.register(inboxes.forget_after_unfollow)

parts.register(
    "blog.notes",
    batches=parts.in_turn(
        reconcile.compare_counts, like_copies.FIRST_LIKERS.compare, like_copies.LIKED.compare
    ),
    about="notes: likes, comments and heat; likes in Redis",
    count=Note.objects.count,
)
parts.register("blog.scores", batches=shop_scores.compare, about="shops: scores and number of reviews")
parts.register("blog.dishes", dishes.check, about="dishes: how many notes recommend them")
parts.register("blog.feeds", batches=inboxes.compare, about="feeds: the inboxes of readers")

rebuilding.register(inboxes.rebuild, _("Feeds of people"))
rebuilding.register(like_copies.FIRST_LIKERS, _("First likes of notes"))
rebuilding.register(like_copies.LIKED, _("What people like"))

RESUMABLES.register(Resumable(fixed={"liked": "1"}), key="blog:like")
RESUMABLES.register(Resumable(fields=("text", "reply_to", "mention")), key="blog:comments")

EFFECTS.register(feed.announce)
EFFECTS.register(feed.withdraw)
EFFECTS.register(likes.forget_copies)
EFFECTS.register(like_copies.forget)
