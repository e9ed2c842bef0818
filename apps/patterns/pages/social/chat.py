"""Chat: messages are published in the order of their numbers, each once."""

import json

from apps.chat import keys, publishing
from apps.chat.publishing import Outcome as Published
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client
from apps.redis_kit.transport import Arg

MAX_EVENTS, SECONDS = 256, 60


def _send_naively(run: Scratch) -> Outcome:
    numbers, messages = run.key("string", "numbers"), run.key("zset", "messages")
    # Alice and Bob send together: both take a number, and Bob is faster with the rest.
    alice, bob = (run.do("INCR", numbers) for _ in range(2))
    run.do("ZADD", messages, bob, "bob: see you at eight")
    first_look = run.do("ZRANGEBYSCORE", messages, "(0", "+inf", "WITHSCORES")
    seen = int(float(first_look[-1]))
    run.do("ZADD", messages, alice, "alice: eight or nine?")
    second_look = run.do("ZRANGEBYSCORE", messages, f"({seen}", "+inf")
    sentence = Text(
        "Charlie read up to number {seen}. Alice's number {alice} came later: he never sees it.",
        "Charlie 读到编号 {seen}。Alice 的编号 {alice} 后到：他永远看不到。",
    )
    return Outcome(bool(second_look), sentence.fill(seen=seen, alice=alice))


def _publish(run: Scratch, *numbers: int, is_complete: bool = False) -> publishing.Reply:
    pairs: list[Arg] = [part for number in numbers for part in (number, json.dumps({"n": number}))]
    args: list[Arg] = [f"{run.prefix}channel", MAX_EVENTS, SECONDS, int(is_complete), *pairs]
    return publishing.PUBLISH_MESSAGES(client.get(), keys=[run.key("stream", "events")], args=args)


def _send_by_script(run: Scratch) -> Outcome:
    # Message 2 comes first. The script says what is missing; its sender reads it from SQL and tells both.
    early = _publish(run, 2)
    together = _publish(run, 1, 2)
    late = _publish(run, 1)
    entries = [entry for entry, _fields in run.do("XRANGE", run.key("stream", "events"), "-", "+")]
    sentence = Text(
        "Message 2 came first and was held back. Then 1 and 2 were told together; the late 1 was known. The "
        "stream has {told}.",
        "消息 2 先到，被拦下。随后 1 和 2 一起通知；迟到的 1 已经通知过。流里是 {told}。",
    )
    outcomes = [early.outcome, together.outcome, late.outcome]
    holds = outcomes == [
        Published.INCOMPLETE,
        Published.PUBLISHED,
        Published.ALREADY_PUBLISHED,
    ] and entries == ["1-0", "2-0"]
    return Outcome(holds, sentence.fill(told=", ".join(entries)))


def _naive_round(run: Scratch) -> None:
    number = run.do("INCR", run.key("string", "numbers"))
    run.do("ZADD", run.key("zset", "messages"), number, f"{number}: hello")
    run.do("PUBLISH", f"{run.prefix}channel", number)


def _our_round(run: Scratch) -> None:
    _publish(run, run.next_number(), is_complete=True)


PATTERN = Pattern(
    slug="chat",
    title=Text("Chats in order", "有序的聊天"),
    summary=Text(
        "Two people send at once; everybody reads the same order, and nobody misses one.",
        "两个人同时发送；所有人读到同样的顺序，谁也不会漏掉。",
    ),
    problem=Text(
        "Readers say “I have seen up to number 7” and ask for what came after. That only works if number 6 "
        "can't appear after number 7.",
        "读者说“我看到 7 号了”，再要之后的。只有 6 号不会在 7 号之后才出现，这才行得通。",
    ),
    naive=Way(
        Text(
            "INCR gives the number, ZADD stores the message. Between the two another sender can be faster, "
            "and a reader who has seen the higher number never asks for the lower one.",
            "INCR 取编号，ZADD 存消息。两步之间别的发送者可能更快，看过大编号的读者再也不会要小编号。",
        ),
        _send_naively,
    ),
    ours=Way(
        Text(
            "SQL gives dense numbers and has the messages. tell_messages.lua adds one to the stream only "
            "when all before it are told; else it answers which is missing. A stream's id is the message's "
            "number.",
            "SQL 给出连续编号并保存消息。tell_messages.lua 只有在前面的都通知过时才加入流；否则回答缺哪一条。"
            "流条目的编号就是消息的编号。",
        ),
        _send_by_script,
    ),
    scripts=(publishing.PUBLISH_MESSAGES,),
    functions=(publishing.publish,),
    keys=(LiveKey(keys.EVENTS, Text("recent messages of a chat", "一个聊天最近的消息")),),
    compared=Comparison(
        about=Text("One message told to the open pages.", "把一条消息通知打开的页面。"),
        naive=_naive_round,
        ours=_our_round,
    ),
    costs=Text(
        "One round trip a message, whatever the number of readers. At most 256 messages a chat in Redis.",
        "每条消息一个往返，与读者数量无关。每个聊天在 Redis 里最多 256 条。",
    ),
    limits=Text(
        "Redis keeps 20 minutes after the last message. Who was away longer loads from SQL.",
        "最后一条消息后 Redis 只留 20 分钟。离开更久的人从 SQL 读取。",
    ),
    sources=(Source("Redis in Action, chapter 6.5: Pull messaging"),),
)
