"""Follows: a cached set that an unfollow can't lose to a slow reader."""

from apps.follows import keys
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client, copies
from apps.redis_kit.copies import LeasedSet
from apps.redis_kit.transport import Arg

BOB, CHARLIE, SECONDS, PEOPLE = 2, 3, 60, 200
COMPLETE = copies.COMPLETE_MEMBER


def _cache_naively(run: Scratch) -> Outcome:
    following = run.key("set", "following")
    # A reader finds no set and reads SQL: Alice follows Bob and Charlie.
    rows = [BOB, CHARLIE]
    # Meanwhile she unfollows Charlie: SQL commits, the set is deleted. It was not there.
    run.do("DEL", following)
    # The slow reader writes what it has read.
    run.do("SADD", following, *rows)
    is_back = run.do("SISMEMBER", following, CHARLIE) == 1
    sentence = Text(
        "Alice unfollowed Charlie. The slow reader brought him back: he is in the set until it expires.",
        "Alice 取消关注了 Charlie。慢的读者又把他带回来：直到过期，他都在集合里。",
    )
    return Outcome(not is_back, sentence)


def _fill(run: Scratch, token: str, ids: list[int]) -> bool:
    args: list[Arg] = [token, SECONDS, LeasedSet.add_command, COMPLETE, *ids]
    names = [run.key("set", "following"), run.key("string", "lease")]
    return copies.FILL_COPY(client.get(), keys=names, args=args)


def _cache_with_lease(run: Scratch) -> Outcome:
    following, lease = run.key("set", "following"), run.key("string", "lease")
    run.do("SET", lease, "slow-reader", "EX", SECONDS)
    # The unfollow deletes the set and the lease.
    run.do("DEL", following, lease)
    is_refused = not _fill(run, "slow-reader", [BOB, CHARLIE])
    run.do("SET", lease, "next-reader", "EX", SECONDS)
    is_filled = _fill(run, "next-reader", [BOB])
    theirs = run.key("set", "theirs")
    run.do("SADD", theirs, COMPLETE, BOB, CHARLIE)
    common = sorted(int(one) for one in run.do("SINTER", following, theirs) if int(one) != COMPLETE)
    sentence = Text(
        "The slow reader was refused, the next one filled the set. Followed by both, by SINTER: {common}.",
        "慢的读者被拒绝，下一个读者填好了集合。两人共同关注（SINTER）：{common}。",
    )
    return Outcome(is_refused and is_filled and common == [BOB], sentence.fill(common=common))


def _prepare(run: Scratch) -> None:
    run.do("SADD", run.key("set", "mine"), *range(PEOPLE))
    run.do("SADD", run.key("set", "theirs"), *range(PEOPLE - 5, 2 * PEOPLE))


def _naive_round(run: Scratch) -> None:
    mine, theirs = (set(run.do("SMEMBERS", run.key("set", name))) for name in ("mine", "theirs"))
    mine.intersection(theirs)


def _our_round(run: Scratch) -> None:
    run.do("SINTER", run.key("set", "mine"), run.key("set", "theirs"))


PATTERN = Pattern(
    slug="follows",
    title=Text("Follows and people in common", "关注与共同关注"),
    summary=Text(
        "Sets that Redis intersects, filled from SQL so that no unfollow is undone.",
        "由 Redis 求交集的集合，从 SQL 填充，且不会撤销取消关注。",
    ),
    problem=Text(
        "Each page asks whom one follows, and a profile shows whom both follow. SQL is the truth; Redis "
        "keeps a copy, which is filled by readers while people follow and unfollow.",
        "每个页面都问你关注了谁，个人页还显示共同关注。SQL 是真相；Redis 存副本，由读者填充，而关注随时在"
        "变。",
    ),
    naive=Way(
        Text(
            "Not in Redis: read SQL, SADD. Whoever unfollows deletes the set. A reader that read before the "
            "unfollow and writes after it brings the old set back.",
            "Redis 里没有：读 SQL，再 SADD。取消关注时删掉集合。若读者在取消之前读、在取消之后写，旧集合就"
            "回来了。",
        ),
        _cache_naively,
    ),
    ours=Way(
        Text(
            "A reader takes a lease before it reads SQL. A change deletes set and lease; "
            "fill_copy.lua then refuses the outdated rows. The member 0 marks a set as complete, so "
            "“follows nobody” differs from “not cached”.",
            "读者先拿租约再读 SQL。变化会删掉集合和租约；fill_copy.lua 于是拒绝过时的行。"
            "成员 0 表示集合完整，“谁也没关注”不同于“没有缓存”。",
        ),
        _cache_with_lease,
    ),
    scripts=(copies.FILL_COPY,),
    functions=(LeasedSet.intersection, LeasedSet.load),
    keys=(
        LiveKey(
            keys.FOLLOWING,
            Text("the people that a person follows, and 0", "一个人关注的人，以及 0"),
            is_public=True,
        ),
    ),
    compared=Comparison(
        about=Text(
            "People in common of two who follow 200 each: both sets to the application, or SINTER.",
            "两个各关注 200 人的用户的共同关注：把两个集合取到应用，或用 SINTER。",
        ),
        naive=_naive_round,
        ours=_our_round,
        prepare=_prepare,
    ),
    costs=Text(
        "One round trip a question. Small numbers in a set take 2 to 8 bytes each up to 512 members, 60 "
        "after that.",
        "每个问题一个往返。集合里的小整数在 512 个成员以内每个 2 到 8 字节，之后约 60 字节。",
    ),
    limits=Text(
        "All sets share one slot, so that SINTER works in a cluster: that node holds all of the graph. "
        "Somebody who follows 100,000 costs a slow fill.",
        "所有集合在同一个槽位，集群里才能 SINTER：整个关注图都在那个节点。关注十万人的用户填充会慢。",
    ),
    sources=(
        Source("Redis documentation: Sets", "https://redis.io/docs/latest/develop/data-types/sets/"),
        Source("Redis in Action, chapter 8.3: Followers and following"),
    ),
)
