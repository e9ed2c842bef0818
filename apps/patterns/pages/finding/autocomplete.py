"""Autocomplete: names that begin as typed, by bytes and without a write."""

from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit.autocomplete import address_books, name_index
from apps.search import keys

NAMES = {1: "alice", 2: "al楼咖啡", 3: "bob"}
TYPED, MEANT = "al", {1, 2}
MANY_NAMES = 500


def _find_naively(run: Scratch) -> Outcome:
    names = run.key("zset", "names")
    for name in NAMES.values():
        run.do("ZADD", names, 0, name)
    found = _between_marks(run, names)
    sentence = Text(
        "Typed “{typed}”: found {found}. The Chinese name sorts after the mark “{{” and is lost.",
        "输入“{typed}”：找到 {found}。中文名排在标记“{{”之后，丢了。",
    )
    return Outcome(len(found) == len(MEANT), sentence.fill(typed=TYPED, found=", ".join(found)))


def _between_marks(run: Scratch, names: str) -> list[str]:
    """The names between two marks that are put into the set for the look-up, and taken out again."""
    low, high = TYPED[:-1] + chr(ord(TYPED[-1]) - 1) + "{", TYPED + "{"
    run.do("ZADD", names, 0, low, 0, high)
    first, last = (run.do("ZRANK", names, mark) for mark in (low, high))
    found: list[str] = run.do("ZRANGE", names, first + 1, last - 1)
    run.do("ZREM", names, low, high)
    return found


def _find_by_bytes(run: Scratch) -> Outcome:
    book = run.key("zset", "book")
    for member_id, name in NAMES.items():
        address_books.join(book, member_id, name)
    found = address_books.find(book, TYPED)
    sentence = Text(
        "Typed “{typed}”: found {found}, by two reads and no write.",
        "输入“{typed}”：找到 {found}，两次读取，没有写入。",
    )
    names = ", ".join(NAMES[one] for one in found)
    return Outcome(set(found) == MEANT, sentence.fill(typed=TYPED, found=names))


def _prepare(run: Scratch) -> None:
    many = [f"al{number:04}" for number in range(MANY_NAMES)]
    run.do("ZADD", run.key("zset", "names"), *(part for name in many for part in (0, name)))
    members = [f"{name}\0{number}" for number, name in enumerate(many)]
    run.do("ZADD", run.key("zset", "book"), *(part for member in members for part in (0, member)))


def _naive_round(run: Scratch) -> None:
    _between_marks(run, run.key("zset", "names"))


def _our_round(run: Scratch) -> None:
    address_books.find(run.key("zset", "book"), TYPED)


PATTERN = Pattern(
    slug="autocomplete",
    title=Text("Names as one types", "边输入边提示"),
    summary=Text(
        "A sorted set of equal scores is a dictionary: names that begin as typed lie side by side.",
        "分数相同的有序集合就是字典：以输入开头的名字挨在一起。",
    ),
    problem=Text(
        "After each letter the ten best names must be there within a blink, in any script, while people "
        "join and leave.",
        "每敲一个字母，十个最合适的名字就要立刻出现，任何文字都行，而人还在进进出出。",
    ),
    naive=Way(
        Text(
            "Put a mark before and after the prefix into the set, read what lies between, take the marks "
            "out. Names with signs past “{” are lost, two people who type at once see each other's marks, "
            "and each look-up is a write.",
            "在集合里前缀的前后各放一个标记，读中间的，再拿掉标记。“{”之后的字符会丢，"
            "两个人同时输入会看到对方的标记，而且每次查找都在写。",
        ),
        _find_naively,
    ),
    ours=Way(
        Text(
            "ZRANGE BYLEX from the prefix to the prefix with the byte 255, which no UTF-8 text has. The "
            "server compares bytes, so every script works. For shops, parts of names, popularity and slips "
            "of one letter have their own members.",
            "ZRANGE BYLEX 从前缀到前缀加字节 255（UTF-8 里没有它）。服务器按字节比较，任何文字都行。"
            "店名的各部分、热度、一个字母的笔误，都有各自的成员。",
        ),
        _find_by_bytes,
    ),
    scripts=(name_index.FIND, name_index.PUT),
    functions=(address_books.find, name_index.NameIndex.find),
    keys=(
        LiveKey(
            keys.SUGGEST_NAMES, Text("names of one band of popularity", "同一热度档的名字"), is_public=True
        ),
        LiveKey(
            keys.SUGGEST_VOCABULARY,
            Text("words by their ends and slips", "按词尾与笔误存的词"),
            is_public=True,
        ),
    ),
    compared=Comparison(
        about=Text("The first names of 500 for two letters.", "500 个名字中，输入两个字母。"),
        naive=_naive_round,
        ours=_our_round,
        prepare=_prepare,
    ),
    costs=Text(
        "One round trip when enough names begin as typed. About 80 bytes a spelling.",
        "开头匹配的名字足够时一个往返。每种写法约 80 字节。",
    ),
    limits=Text(
        "Bytes are not letters: names are folded (case, accents, width) before they are stored and looked "
        "up. A middle of a word needs an index of its own.",
        "字节不是字母：名字在存和查之前都要折叠（大小写、重音、全半角）。查词的中间需要另外的索引。",
    ),
    sources=(
        Source("Redis in Action, chapter 6.1: Autocomplete"),
        Source(
            "Redis documentation: ZRANGE, lexicographical ranges",
            "https://redis.io/docs/latest/commands/zrange/",
        ),
        Source("Wolf Garbe: SymSpell", "https://github.com/wolfgarbe/SymSpell"),
    ),
)
