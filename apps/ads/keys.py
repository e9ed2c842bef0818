"""Declares the Redis keys of ads.

One slot tag for all: a campaign's budget is spent in every place where its ads appear, so choosing and
charging use keys that no place owns. One core of Redis serves thousands of pages a second; a site that needs
more gives each region a budget and a tag of its own.
"""

from datetime import date

from apps.redis_kit import eviction, schema
from apps.redis_kit.schema import marked as _

_REBUILT = "apps.ads.loading:rebuild"
#: A day's counts are saved within seconds; the days of one weekday apart teach the expected day.
DAY_TTL_SECONDS = 3 * 86_400
REQUESTS_TTL_SECONDS = 15 * 86_400

PLACE = schema.key(
    "ads:{ads}:place:<place>",
    type="zset",
    about=_("the ads of a place, scored by their ceiling: eCPM plus largest word bonus, in micros"),
    writer="lua/put_ad, lua/price_ad",
    expiry=_("none"),
    rebuilt_from=_REBUILT,
)
ADS = schema.key(
    "ads:{ads}:ads",
    type="hash",
    about=_("ad id -> JSON: revision, basis, campaign, eCPM, bonus by word, places"),
    writer="lua/put_ad, lua/price_ad",
    expiry=_("none"),
    rebuilt_from=_REBUILT,
)
CAMPAIGNS = schema.key(
    "ads:{ads}:campaigns",
    type="hash",
    about=_(
        "campaign id -> JSON: revision, on, pricing, cost, daily cap, begins, ends, views a person, owners"
    ),
    writer="lua/put_campaign",
    expiry=_("none"),
    rebuilt_from=_REBUILT,
)
LEFT = schema.key(
    "ads:{ads}:left",
    type="hash",
    about=_("campaign id -> micros of its budget that are not spent"),
    writer="lua/put_campaign, lua/record_event, lua/correct_left",
    expiry=_("none"),
    rebuilt_from=_REBUILT,
)
BUDGETS = schema.key(
    "ads:{ads}:budgets",
    type="hash",
    about=_("campaign id -> the budget in micros that `left` counts from"),
    writer="lua/put_campaign",
    expiry=_("none"),
    rebuilt_from=_REBUILT,
)
RATES = schema.key(
    "ads:{ads}:rates",
    type="hash",
    about=_(
        'campaign id -> its pass-through rate in ten-thousandths; "id:allowed" -> micros of today by now'
    ),
    writer="pacing.update",
    expiry=_("none"),
    expendable=_("the next minute's pacing starts again from what is spent"),
)
SPENT = schema.key(
    "ads:{ads}:spent:<day>",
    type="hash",
    about=_("campaign id -> micros charged on a day"),
    writer="lua/record_event, loading.rebuild",
    expiry=_("3 days"),
    rebuilt_from=_REBUILT,
)
DAY = schema.key(
    "ads:{ads}:day:<day>",
    type="hash",
    about=_('counts of a day: "ad id:served" (views, clicks, actions, invalid, spent); "cut": walks'),
    writer="lua/choose_ad, lua/record_event, loading.rebuild",
    expiry=_("3 days"),
    rebuilt_from=_REBUILT,
)
COUNTS = schema.key(
    "ads:{ads}:counts:<ad>",
    type="hash",
    about=_(
        'counts of an ad since it began: views, clicks, actions, invalid, and "views:word" of each match'
    ),
    writer="lua/record_event, loading.rebuild",
    expiry=_("none"),
    rebuilt_from=_REBUILT,
)
TYPES = schema.key(
    "ads:{ads}:types",
    type="hash",
    about=_('"cpc:views", "cpc:clicks", "cpa:actions" …: what all ads of a pricing did'),
    writer="lua/record_event, loading.rebuild",
    expiry=_("none"),
    rebuilt_from=_REBUILT,
)
CHANGED = schema.key(
    "ads:{ads}:changed",
    type="set",
    about=_("ads whose counts are to be saved"),
    writer="lua/choose_ad, lua/record_event",
    expiry=_("none"),
    expendable=_("the reconciliation finds counts that were not saved"),
)
SAVING = schema.key(
    "ads:{ads}:saving",
    type="set",
    about=_("ads whose counts are being saved"),
    writer="repricing.save_counts",
    expiry=_("none"),
    expendable=_("the reconciliation finds counts that were not saved"),
)
CHARGES = schema.key(
    "ads:{ads}:charges",
    type="stream",
    about=_("charges on their way to SQL; each entry is deleted once its row is committed"),
    writer="lua/record_event",
    expiry=_("none"),
    expendable=_("entries live for seconds; one lost with the server is billed to nobody"),
    private=_("tickets"),
)
TICKET = schema.key(
    "ads:{ads}:ticket:<ticket>",
    type="hash",
    about=_(
        "an ad that was served: ad, campaign, pricing, cost, viewer, words; seen, clicked, acted (unix ms)"
    ),
    writer="lua/choose_ad, lua/record_event",
    expiry=_("15 minutes after serving or view, a day after a click"),
    expendable=_("what comes of a lost ticket counts nothing and costs nothing"),
    private=_("tickets"),
)
SEEN = schema.key(
    "ads:{ads}:seen:<viewer>",
    type="hash",
    about=_("ad id -> how often a viewer saw it"),
    writer="lua/record_event",
    expiry=_("1 day after the first view"),
    expendable=_("a viewer may see an ad more often than the campaign wants"),
    private=_("what a person saw"),
)
NETWORK = schema.key(
    "ads:{ads}:network:<network>",
    type="hash",
    about=_('"campaign id:click", "campaign id:view": paid events of a day from a network (a digest)'),
    writer="lua/record_event",
    expiry=_("1 day after the first that was paid"),
    expendable=_("the network is charged for so many once more"),
    private=_("where people are"),
)
HIDDEN = schema.key(
    "ads:{ads}:hidden:<viewer>",
    type="set",
    about=_("the ads that a viewer wants to see no more"),
    writer="serving.hide",
    expiry=_("30 days after the last"),
    expendable=_("the viewer hides it once more"),
    private=_("what a person hid"),
)
REQUESTS = schema.key(
    "ads:{ads}:requests:<day>",
    type="hash",
    about=_("hour of a day -> how many pages could have shown an ad: what the expected day is made of"),
    writer="lua/choose_ad",
    expiry=_("15 days"),
    expendable=_("the expected day is a usual one until there are days again"),
)


def day_name(day: date) -> str:
    """A day as part of a key: 2026-11-23."""
    return day.isoformat()


ADS_BUDGET = eviction.MemoryBudget("ads", connection="default", keys=[TICKET, SEEN, NETWORK], quota=0.1)
