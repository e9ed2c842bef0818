"""Search: the best documents first, without reading the lists to their ends."""

from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client
from apps.search import keys
from apps.search.index import records
from apps.search.query import ranking

DOCUMENTS, WITH_BEEF, BEST = 1_000, 20, 777
WANTED = 10
WEIGHT = 1_000_000
#: The documents with both words.
_BEEF = {*range(1, WITH_BEEF), BEST}


def _fill(run: Scratch) -> None:
    """Every document has "noodle", some have "beef", and one is all about both."""
    everyone = range(1, DOCUMENTS + 1)
    for term, documents in (("noodle", everyone), ("beef", sorted(_BEEF))):
        run.do("SADD", run.key("set", term), *documents)
        weights = [part for one in documents for part in (_weight(one), records.encode_member(one))]
        run.do("ZADD", run.key("zset", term), *weights)


def _weight(document: int) -> int:
    return 2 * WEIGHT if document == BEST else WEIGHT


def _search_naively(run: Scratch) -> Outcome:
    _fill(run)
    found = list(run.do("SUNION", run.key("set", "noodle"), run.key("set", "beef")))
    good = len(_BEEF.intersection(map(int, found[:WANTED])))
    sentence = Text(
        "“noodle beef”: {count} ids were sent, in no order of use. Of the first {wanted}, {good} have "
        "both words.",
        "“noodle beef”：传了 {count} 个编号，顺序没有意义。前 {wanted} 个里同时含两个词的有 {good} 个。",
    )
    return Outcome(good == WANTED, sentence.fill(count=len(found), wanted=WANTED, good=good))


def _walk(run: Scratch) -> list[ranking.Ranked]:
    factors = [ranking.factor(DOCUMENTS, DOCUMENTS), ranking.factor(DOCUMENTS, WITH_BEEF)]
    names = [run.key("zset", term) for term in ("noodle", "beef")]
    return ranking.WALK_ANY(client.get(), keys=names, args=[WANTED, *factors])


def _search_ranked(run: Scratch) -> Outcome:
    _fill(run)
    found = _walk(run)
    sentence = Text(
        "“noodle beef”: {count} ids were sent, the best first: document {first}. “beef” is rare and counts "
        "more.",
        "“noodle beef”：只传 {count} 个编号，最好的在前：文档 {first}。“beef”少见，权重更大。",
    )
    holds = found[0].id == BEST and _BEEF.issuperset(one.id for one in found)
    return Outcome(holds, sentence.fill(count=len(found), first=found[0].id))


def _naive_round(run: Scratch) -> None:
    run.do("SUNION", run.key("set", "noodle"), run.key("set", "beef"))


PATTERN = Pattern(
    slug="search",
    title=Text("Full-text search", "全文搜索"),
    summary=Text(
        "Lists of documents by word, with weights: the ten best of a thousand without reading all.",
        "按词存文档列表，带权重：不读完就得到一千篇里最好的十篇。",
    ),
    problem=Text(
        "People type words and want the best shops and notes first. Some words are in every document, some "
        "in three. Reading all that match would be slow and useless.",
        "人们输入几个词，想先看最好的店和笔记。有的词每篇都有，有的只在三篇里。把匹配的全读出来又慢又没用。",
    ),
    naive=Way(
        Text(
            "A set of documents for each word, SUNION (or SINTER) of what was typed. The answer has no "
            "order, and a common word sends the whole collection to the application.",
            "每个词一个文档集合，对输入的词做 SUNION（或 SINTER）。结果没有顺序，一个常见词就把整个库传给应"
            "用。",
        ),
        _search_naively,
    ),
    ours=Way(
        Text(
            "Each word has a sorted set of documents by weight (BM25). walk_any.lua reads the lists in "
            "blocks, best first, and stops when no unread document can be among the ten best.",
            "每个词有一个按权重（BM25）排序的有序集合。walk_any.lua 从最好的开始分块读列表，"
            "当没读到的文档不可能进前十时就停。",
        ),
        _search_ranked,
    ),
    scripts=(ranking.WALK_ANY,),
    functions=(ranking.any_of, ranking.all_of, ranking.idf),
    keys=(
        LiveKey(
            keys.POSTINGS,
            Text("documents with a word, by weight", "含有某个词的文档，按权重"),
            is_public=True,
        ),
        LiveKey(keys.STATS, Text("how many documents there are", "文档的数量"), is_public=True),
    ),
    compared=Comparison(
        about=Text("Two words in 1,000 documents.", "在 1,000 篇文档里查两个词。"),
        naive=_naive_round,
        ours=_walk,
        prepare=_fill,
    ),
    costs=Text(
        "One round trip for the counts, one for the ten best. About 75 bytes a word and document.",
        "查数量一个往返，取前十一个往返。每个词每篇文档约 75 字节。",
    ),
    limits=Text(
        "A single server's memory bounds the index: some million documents. Past that one uses a search "
        "engine. The script reads many blocks when the words' weights hardly differ.",
        "索引受单台服务器内存限制：几百万篇。再多就用搜索引擎。当词的权重几乎相同时，脚本要读很多块。",
    ),
    sources=(
        Source("Redis in Action, chapter 7: Search-based applications"),
        Source("Robertson and Zaragoza: The Probabilistic Relevance Framework, BM25 and Beyond (2009)"),
        Source("Fagin, Lotem, Naor: Optimal aggregation algorithms for middleware (2003)"),
    ),
)
