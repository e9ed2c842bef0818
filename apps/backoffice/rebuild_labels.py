"""What the admin's Redis page calls each rebuild."""

from django.utils.translation import gettext_lazy as _

#: "module:function" of a key's `rebuilt_from` -> what a manager reads.
LABELS = {
    "apps.accounts.sessions.tokens:rebuild": _("Log-ins of people"),
    "apps.ads.loading:rebuild": _("Ads and their budgets"),
    "apps.blog.feed.inbox_filling:rebuild": _("Feeds of people"),
    "apps.blog.likes.like_builds:rebuild": _("Likes of notes"),
    "apps.coupons.claims.loading:rebuild": _("Stock and buyers of flash sales"),
    "apps.coupons.orders.queued_orders:rebuild": _("Orders being recorded"),
    "apps.follows.following_sets:rebuild": _("Who follows whom"),
    "apps.mailbox.copies.unread:rebuild": _("Numbers of unread notifications"),
    "apps.saves.saved_sets:rebuild": _("What people saved"),
    "apps.search.index.rebuilding:rebuild": _("Search"),
    "apps.search.suggest.indexing:rebuild": _("Names that search suggests"),
    "apps.search.suggest.words:rebuild": _("Words that search suggests"),
    "apps.shops.geo.rebuilding:rebuild": _("Shops on the map"),
    "apps.siteconfig.components.copies:rebuild": _("Settings that operators changed"),
    "apps.signins.streaks.rebuilding:rebuild": _("Check-ins and streaks"),
}
