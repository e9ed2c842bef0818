"""Live streams: pub/sub for those who are there, a short stream for those who come back."""

from apps.front import keys
from apps.front.live import publishing
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client
from apps.redis_kit.transport import Arg

MAX_EVENTS, SECONDS = 256, 60


def _tell_naively(run: Scratch) -> Outcome:
    # The phone changes from Wi-Fi to mobile; the event is published in that second.
    heard = run.do("PUBLISH", f"{run.prefix}channel", "order 7 is paid")
    sentence = Text(
        "{heard} listeners heard it. The phone is back a second later and finds nothing.",
        "{heard} 个听众听到。手机一秒后回来，什么也没有。",
    )
    return Outcome(heard > 0, sentence.fill(heard=heard))


def _publish(run: Scratch, event: str) -> int:
    args: list[Arg] = [f"{run.prefix}channel", "order", event, MAX_EVENTS]
    return publishing.PUBLISH_EVENT(client.get(), keys=[run.key("stream", "events")], args=args)


def _open(run: Scratch) -> str:
    """A stream that a client has opened: it has its first entry."""
    entry: str = run.do("XADD", run.key("stream", "events"), "*", "event", "!opened")
    run.do("EXPIRE", run.key("stream", "events"), SECONDS)
    return entry


def _tell_and_keep(run: Scratch) -> Outcome:
    last_seen = _open(run)
    _publish(run, "order 7 is paid")
    missed = run.do("XRANGE", run.key("stream", "events"), f"({last_seen}", "+")
    sentence = Text(
        "The phone comes back with the id of the last event that it saw, and gets {missed} event.",
        "手机带着最后见过的事件编号回来，补到 {missed} 个事件。",
    )
    return Outcome(len(missed) == 1, sentence.fill(missed=len(missed)))


def _naive_round(run: Scratch) -> None:
    run.do("PUBLISH", f"{run.prefix}channel", "event")


def _our_round(run: Scratch) -> None:
    _publish(run, "event")


PATTERN = Pattern(
    slug="live-streams",
    title=Text("Live pages that miss nothing", "不漏消息的实时页面"),
    summary=Text(
        "Pub/sub wakes whoever is connected; a short stream serves whoever comes back.",
        "发布订阅唤醒在线的人；短流补给回来的人。",
    ),
    problem=Text(
        "Order states, chats and notifications move on open pages. Phones lose their connection all the "
        "time and come back within seconds.",
        "订单状态、聊天、通知都在打开的页面上实时变化。手机总在断线，几秒后又回来。",
    ),
    naive=Way(
        Text(
            "PUBLISH the event. Who is connected gets it at once; who is not never does.",
            "PUBLISH 事件。在线的人立刻收到；不在线的人永远收不到。",
        ),
        _tell_naively,
    ),
    ours=Way(
        Text(
            "publish_event.lua adds the event to a short stream and publishes it, in one call. The browser "
            "sends the last event's id when it connects again (server-sent events do that by themselves).",
            "publish_event.lua 一次调用把事件加入短流并发布。浏览器重连时带上最后的事件编号"
            "（服务器推送事件自带这个功能）。",
        ),
        _tell_and_keep,
    ),
    scripts=(publishing.PUBLISH_EVENT,),
    functions=(publishing.publish, publishing.publish_each),
    keys=(LiveKey(keys.EVENTS, Text("recent events of one person", "一个人最近的事件")),),
    compared=Comparison(
        about=Text("One event: PUBLISH, or the script.", "一个事件：PUBLISH，或调用脚本。"),
        naive=_naive_round,
        ours=_our_round,
        prepare=_open,
    ),
    costs=Text(
        "One round trip an event. A stream exists only while its person has a page open, and 20 minutes "
        "after.",
        "每个事件一个往返。只有本人开着页面时才有流，之后再留 20 分钟。",
    ),
    limits=Text(
        "At most 256 events are kept. Who missed more is told to load the page's parts again from SQL.",
        "最多保留 256 个事件。错过更多的人会被告知从 SQL 重新加载。",
    ),
    sources=(
        Source(
            "HTML standard: Server-sent events, Last-Event-ID",
            "https://html.spec.whatwg.org/multipage/server-sent-events.html",
        ),
        Source("Redis documentation: Pub/Sub", "https://redis.io/docs/latest/develop/pubsub/"),
    ),
)
