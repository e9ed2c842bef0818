"""Feed: pages by a cursor of time, not by number, from an inbox that is filled by authors."""

from django.conf import settings

from apps.blog import keys
from apps.blog.feed import inboxes
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client
from apps.redis_kit.transport import Arg

PAGE, SECONDS = 2, 60


def _page_naively(run: Scratch) -> Outcome:
    feed = run.key("list", "feed")
    for note in range(1, 6):
        run.do("LPUSH", feed, note)
    first = run.do("LRANGE", feed, 0, PAGE - 1)
    # Somebody publishes while Alice reads.
    run.do("LPUSH", feed, 6)
    second = run.do("LRANGE", feed, PAGE, 2 * PAGE - 1)
    twice = sorted(set(first) & set(second))
    sentence = Text(
        "Page 1: notes {first}. A note came. Page 2: notes {second}. Note {twice} is shown twice.",
        "第 1 页：笔记 {first}。来了一篇新的。第 2 页：笔记 {second}。笔记 {twice} 出现了两次。",
    )
    texts = {"first": ", ".join(first), "second": ", ".join(second), "twice": ", ".join(twice)}
    return Outcome(not twice, sentence.fill(**texts))


def _start_inbox(run: Scratch) -> str:
    inbox = run.key("zset", "inbox")
    run.do("ZADD", inbox, 1, inboxes.FLOOR_MEMBER)
    return inbox


def _publish(inbox: str, *notes: int) -> None:
    """Add notes; note n is published at microsecond 1000 + n."""
    pairs: list[Arg] = [part for note in notes for part in (1_000 + note, f"{note:019d}")]
    args: list[Arg] = [settings.FEED_INBOX_CAP, "", 0, SECONDS, *pairs]
    inboxes.ADD_NOTES(client.get(), keys=[inbox], args=args)


def _read(inbox: str, before: int | str = "+inf") -> list[int]:
    args: list[Arg] = [before, PAGE, SECONDS, SECONDS]
    positions = inboxes.READ_INBOX(client.get(), keys=[inbox], args=args).positions
    below = (one.note_id for one in positions if before == "+inf" or one.microsecond < int(before))
    return list(below)[:PAGE]


def _page_by_cursor(run: Scratch) -> Outcome:
    inbox = _start_inbox(run)
    _publish(inbox, 1, 2, 3, 4, 5)
    first = _read(inbox)
    _publish(inbox, 6)
    second = _read(inbox, before=1_000 + first[-1])
    sentence = Text(
        "Page 1: notes {first}. A note came. Page 2, before the time of the last one: notes {second}.",
        "第 1 页：笔记 {first}。来了一篇新的。第 2 页从上一页最后的时间往前：笔记 {second}。",
    )
    return Outcome((first, second) == ([5, 4], [3, 2]), sentence.fill(first=first, second=second))


def _prepare(run: Scratch) -> None:
    inbox = _start_inbox(run)
    _publish(inbox, *range(1, 101))
    run.do("RPUSH", run.key("list", "feed"), *range(1, 101))


def _naive_round(run: Scratch) -> None:
    run.do("LRANGE", run.key("list", "feed"), 50, 50 + PAGE)


def _our_round(run: Scratch) -> None:
    _read(run.key("zset", "inbox"), before=1_050)


PATTERN = Pattern(
    slug="feed",
    title=Text("Feed of the people one follows", "关注的人的动态"),
    summary=Text(
        "Written to each follower's inbox, read by time: nothing twice, nothing missed.",
        "写进每个粉丝的收件箱，按时间读取：不重复，不遗漏。",
    ),
    problem=Text(
        "A reader follows hundreds of authors and wants their newest notes, page by page, while new notes "
        "arrive at the top.",
        "一个读者关注几百位作者，想一页页看他们最新的笔记，而新的笔记正不断从顶部进来。",
    ),
    naive=Way(
        Text(
            "A list, and pages by position: LRANGE 0 1, LRANGE 2 3. When a note comes between two pages, all "
            "positions move by one, and the last note of page 1 is the first of page 2.",
            "用列表，按位置分页：LRANGE 0 1，LRANGE 2 3。两页之间来了新笔记，所有位置后移一格，"
            "第一页的最后一篇又成为第二页的第一篇。",
        ),
        _page_naively,
    ),
    ours=Way(
        Text(
            "A sorted set scored by the microsecond of publication. The next page begins before the last "
            "note's time. A floor says from when on the inbox is complete; older notes come from SQL. "
            "Authors with very many followers are read when the feed is, not written to everybody.",
            "有序集合，分数是发布的微秒。下一页从上一页最后的时间往前。底线说明收件箱从何时起完整；更旧的来"
            "自 SQL。粉丝极多的作者在读取时合并，不写给每个人。",
        ),
        _page_by_cursor,
    ),
    scripts=(inboxes.READ_INBOX, inboxes.ADD_NOTES),
    functions=(inboxes.push_note, inboxes.read_page),
    keys=(
        LiveKey(keys.FEED_INBOX, Text("the newest notes for a reader", "一个读者的最新笔记"), is_public=True),
    ),
    compared=Comparison(
        about=Text("One page from the middle of 100 notes.", "从 100 篇笔记中间读一页。"),
        naive=_naive_round,
        ours=_our_round,
        prepare=_prepare,
    ),
    costs=Text(
        "One round trip a page. About 110 bytes a note and reader; only readers who visit have an inbox.",
        "每页一个往返。每个读者每篇笔记约 110 字节；只有来访的读者才有收件箱。",
    ),
    limits=Text(
        "An inbox holds the newest 1,000 notes or so. A deleted note or an unfollowed author leaves "
        "entries that are skipped when rows are read.",
        "收件箱只放最新的约一千篇。删除的笔记、取消关注的作者会留下条目，读行时跳过。",
    ),
    sources=(
        Source("Redis in Action, chapter 8: Building a simple social network"),
        Source(
            "Twitter: The infrastructure behind Twitter, scale (2017)",
            "https://blog.x.com/engineering/en_us/topics/infrastructure/2017/the-infrastructure-behind-twitter-scale",
        ),
    ),
)
