"""Declares the Redis keys of ads.

One slot tag for all: a campaign's budget is spent in every place where its ads appear, so choosing and
charging use keys that no place owns. One core of Redis serves thousands of pages a second; a site that needs
more gives each region a budget and a tag of its own.
"""

from datetime import date

from apps.redis_kit import eviction, schema

_REBUILT = "apps.ads.loading:rebuild"
#: A day's counts are saved within seconds; the days of one weekday apart teach the expected day.
DAY_TTL_SECONDS = 3 * 86_400
REQUESTS_TTL_SECONDS = 15 * 86_400

PLACE = schema.key(
    "ads:{ads}:place:<place>",
    type="zset",
    about="the ads of a place, scored by their ceiling: eCPM plus largest word bonus, in micros",
    writer="lua/put_ad, lua/price_ad",
    expiry="none",
    rebuilt_from=_REBUILT,
)
ADS = schema.key(
    "ads:{ads}:ads",
    type="hash",
    about="ad id -> JSON: revision, basis, campaign, eCPM, bonus by word, places",
    writer="lua/put_ad, lua/price_ad",
    expiry="none",
    rebuilt_from=_REBUILT,
)
CAMPAIGNS = schema.key(
    "ads:{ads}:campaigns",
    type="hash",
    about="campaign id -> JSON: revision, on, pricing, cost, daily cap, begins, ends, views a person, owners",
    writer="lua/put_campaign",
    expiry="none",
    rebuilt_from=_REBUILT,
)
LEFT = schema.key(
    "ads:{ads}:left",
    type="hash",
    about="campaign id -> micros of its budget that are not spent",
    writer="lua/put_campaign, lua/record_event, lua/correct_left",
    expiry="none",
    rebuilt_from=_REBUILT,
)
BUDGETS = schema.key(
    "ads:{ads}:budgets",
    type="hash",
    about="campaign id -> the budget in micros that `left` counts from",
    writer="lua/put_campaign",
    expiry="none",
    rebuilt_from=_REBUILT,
)
RATES = schema.key(
    "ads:{ads}:rates",
    type="hash",
    about='campaign id -> its pass-through rate in ten-thousandths; "id:allowed" -> micros of today by now',
    writer="pacing.update",
    expiry="none",
    expendable="the next minute's pacing starts again from what is spent",
)
SPENT = schema.key(
    "ads:{ads}:spent:<day>",
    type="hash",
    about="campaign id -> micros charged on a day",
    writer="lua/record_event, loading.rebuild",
    expiry="3 days",
    rebuilt_from=_REBUILT,
)
DAY = schema.key(
    "ads:{ads}:day:<day>",
    type="hash",
    about='counts of a day: "ad id:served" (views, clicks, actions, invalid, spent); "cut": walks',
    writer="lua/choose_ad, lua/record_event, loading.rebuild",
    expiry="3 days",
    rebuilt_from=_REBUILT,
)
COUNTS = schema.key(
    "ads:{ads}:counts:<ad>",
    type="hash",
    about='counts of an ad since it began: views, clicks, actions, invalid, and "views:word" of each match',
    writer="lua/record_event, loading.rebuild",
    expiry="none",
    rebuilt_from=_REBUILT,
)
TYPES = schema.key(
    "ads:{ads}:types",
    type="hash",
    about='"cpc:views", "cpc:clicks", "cpa:actions" …: what all ads of a pricing did',
    writer="lua/record_event, loading.rebuild",
    expiry="none",
    rebuilt_from=_REBUILT,
)
CHANGED = schema.key(
    "ads:{ads}:changed",
    type="set",
    about="ads whose counts are to be saved",
    writer="lua/choose_ad, lua/record_event",
    expiry="none",
    expendable="the reconciliation finds counts that were not saved",
)
SAVING = schema.key(
    "ads:{ads}:saving",
    type="set",
    about="ads whose counts are being saved",
    writer="counts.save",
    expiry="none",
    expendable="the reconciliation finds counts that were not saved",
)
CHARGES = schema.key(
    "ads:{ads}:charges",
    type="stream",
    about="charges on their way to SQL; each entry is deleted once its row is committed",
    writer="lua/record_event",
    expiry="none",
    expendable="entries live for seconds; one lost with the server is billed to nobody",
    private="tickets",
)
TICKET = schema.key(
    "ads:{ads}:ticket:<ticket>",
    type="hash",
    about="an ad that was served: ad, campaign, pricing, cost, viewer, words; seen, clicked, acted (unix ms)",
    writer="lua/choose_ad, lua/record_event",
    expiry="15 minutes after serving or view, a day after a click",
    expendable="what comes of a lost ticket counts nothing and costs nothing",
    private="tickets",
)
SEEN = schema.key(
    "ads:{ads}:seen:<viewer>",
    type="hash",
    about="ad id -> how often a viewer saw it",
    writer="lua/record_event",
    expiry="1 day after the first view",
    expendable="a viewer may see an ad more often than the campaign wants",
    private="what a person saw",
)
NETWORK = schema.key(
    "ads:{ads}:network:<network>",
    type="hash",
    about='"campaign id:click", "campaign id:view": paid events of a day from a network (a digest)',
    writer="lua/record_event",
    expiry="1 day after the first that was paid",
    expendable="the network is charged for so many once more",
    private="where people are",
)
HIDDEN = schema.key(
    "ads:{ads}:hidden:<viewer>",
    type="set",
    about="the ads that a viewer wants to see no more",
    writer="serving.hide",
    expiry="30 days after the last",
    expendable="the viewer hides it once more",
    private="what a person hid",
)
REQUESTS = schema.key(
    "ads:{ads}:requests:<day>",
    type="hash",
    about="hour of a day -> how many pages could have shown an ad: what the expected day is made of",
    writer="lua/choose_ad",
    expiry="15 days",
    expendable="the expected day is a usual one until there are days again",
)


def day_name(day: date) -> str:
    """A day as part of a key: 2026-11-23."""
    return day.isoformat()


ADS_BUDGET = eviction.MemoryBudget("ads", connection="default", keys=[TICKET, SEEN, NETWORK], quota=0.1)
