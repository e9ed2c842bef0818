"""Ads: charge a budget that many pages spend at once, each event once."""

import json

from apps.ads import keys, serving
from apps.ads.serving import Outcome as Recorded
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client
from apps.redis_kit.transport import Arg

AD, CAMPAIGN, COST, SECONDS, MIN_CLICK_MS = 5, 3, 100, 60, 500
VIEWER = "viewer"


def _charge_naively(run: Scratch) -> Outcome:
    left = run.key("string", "left")
    run.do("SET", left, COST)
    # Two pages show the last ad that the budget pays for: both look, then both charge.
    enough = [int(run.do("GET", left)) >= COST for _ in range(2)]
    for _ in filter(None, enough):
        rest = run.do("DECRBY", left, COST)
    sentence = Text(
        "The budget paid for one view and was charged {count} times: {rest} micros are left.",
        "预算只够一次展示，却扣了 {count} 次：剩余 {rest} 微元。",
    )
    return Outcome(rest >= 0, sentence.fill(count=sum(enough), rest=rest))


def _start_campaign(run: Scratch, budget: int) -> None:
    rules = json.dumps({"owners": {}, "on": True, "daily": 0})
    run.do("HSET", run.key("hash", "campaigns"), CAMPAIGN, rules)
    run.do("HSET", run.key("hash", "left"), CAMPAIGN, budget)


def _serve(run: Scratch, ticket: str) -> None:
    fields = ("ad", AD, "viewer", VIEWER, "campaign", CAMPAIGN, "pricing", "cpm", "cost", COST, "words", "")
    run.do("HSET", run.key("hash", f"ticket-{ticket}"), *fields)


def _record_view(run: Scratch, ticket: str) -> serving.Recorded:
    hashes = (f"ticket-{ticket}", "counts", "types", "campaigns", "left", "spent", "day", "seen")
    names = [run.key("hash", name) for name in hashes]
    networks = [run.key("hash", name) for name in ("address", "network")]
    args: list[Arg] = ["view", AD, ticket, VIEWER, "", 0, SECONDS, MIN_CLICK_MS, SECONDS, SECONDS, 0, 0]
    return serving.RECORD(
        client.get(),
        keys=[*names, run.key("stream", "charges"), run.key("set", "changed"), *networks],
        args=args,
    )


def _charge_by_script(run: Scratch) -> Outcome:
    _start_campaign(run, budget=COST)
    for ticket in ("first", "second"):
        _serve(run, ticket)
    outcomes = [_record_view(run, ticket).outcome for ticket in ("first", "first", "second")]
    left = int(run.do("HGET", run.key("hash", "left"), CAMPAIGN))
    charges = run.do("XLEN", run.key("stream", "charges"))
    sentence = Text(
        "First view: charged. The same again: known. Another view: the budget is used up. {charges} "
        "charge, {left} micros left.",
        "第一次展示：扣费。同一次再来：已知。另一次展示：预算用完。扣费 {charges} 笔，剩余 {left} 微元。",
    )
    holds = outcomes == [Recorded.CHARGED, Recorded.REPEATED, Recorded.UNPAID] and left == 0
    return Outcome(holds and charges == 1, sentence.fill(charges=charges, left=left))


def _prepare(run: Scratch) -> None:
    run.do("SET", run.key("string", "left"), 10**12)
    _start_campaign(run, budget=10**12)


def _naive_round(run: Scratch) -> None:
    left = run.key("string", "left")
    run.do("HSET", run.key("hash", "naive-ticket"), "ad", AD)
    if int(run.do("GET", left)) >= COST:
        run.do("DECRBY", left, COST)
        run.do("HINCRBY", run.key("hash", "naive-counts"), "views", 1)
        run.do("XADD", run.key("stream", "naive-charges"), "*", "micros", COST)


def _our_round(run: Scratch) -> None:
    run.do("DEL", run.key("hash", "ticket-round"))
    _serve(run, "round")
    _record_view(run, "round")


PATTERN = Pattern(
    slug="ads",
    title=Text("Ads that can't overspend", "不会超支的广告"),
    summary=Text(
        "A budget is spent by every page at once, and each view is charged once.",
        "预算被所有页面同时花费，每次展示只扣一次。",
    ),
    problem=Text(
        "An advertiser pays for views until the budget is used up. Hundreds of pages a second show the ad; a "
        "browser may report the same view twice.",
        "广告主按展示付费，直到预算用完。每秒有几百个页面展示广告；浏览器可能把同一次展示报两遍。",
    ),
    naive=Way(
        Text(
            "GET what is left; if it is enough, DECRBY. Two pages look together and the budget goes below "
            "zero: somebody's view is not paid for.",
            "GET 剩余；够就 DECRBY。两个页面同时看，预算变成负数：有一次展示没人付钱。",
        ),
        _charge_naively,
    ),
    ours=Way(
        Text(
            "Each served ad has a ticket. record_event.lua checks the ticket, the viewer, the campaign and "
            "the budget, counts, charges whole micros, and queues the charge for SQL: one call, once a "
            "ticket.",
            "每个投放的广告有一张票。record_event.lua 检查票、观看者、活动和预算，计数、按整微元扣费，"
            "并把扣费排队写入 SQL：一次调用，每张票一次。",
        ),
        _charge_by_script,
    ),
    scripts=(serving.RECORD, serving.CHOOSE),
    functions=(serving.choose, serving.record_view),
    keys=(
        LiveKey(
            keys.PLACE,
            Text("ads of a place, by what they may earn", "一个位置的广告，按可能的收益"),
            is_public=True,
        ),
        LiveKey(keys.LEFT, Text("micros left by campaign", "每个活动剩余的微元")),
    ),
    compared=Comparison(
        about=Text(
            "One view served and charged. Ours also checks ticket, owner and daily cap, and counts five "
            "things.",
            "投放并扣费一次展示。我们的做法还检查票、所有者和每日上限，并计五个数。",
        ),
        naive=_naive_round,
        ours=_our_round,
        prepare=_prepare,
    ),
    costs=Text("One round trip to choose, one to record.", "选择一个往返，记录一个往返。"),
    limits=Text(
        "All ads share one slot, since a budget is spent in every place. One core serves some thousand "
        "pages a second; past that, regions get budgets of their own.",
        "所有广告在同一个槽位，因为预算在每个位置都会花。一个核心每秒服务数千页面；再多就给各地区单独预算。",
    ),
    sources=(Source("Redis in Action, chapter 7.3: Ad targeting"),),
)
