"""Redis keys of search: what the index has, by kind and generation, and what is counted of searches."""

from apps.redis_kit import eviction, schema
from apps.redis_kit.schema import marked as _

#: This week and the last one, whole.
WEEK_TTL_SECONDS = 15 * 86_400
RECENT_TTL_SECONDS = 60 * 86_400

WORD_LISTS = schema.key(
    "search:words",
    type="hash",
    about=_("synonyms, stop words and blocked words as JSON (kit cache entry)"),
    writer="word_lists",
    expiry=_("1 day, spread"),
    expendable=_("a cache: read from SQL again"),
)
SAID_WORDS = schema.key(
    "search:said-words:<shop>",
    type="hash",
    about=_("the words that a shop's newest notes say most, as JSON (kit cache entry)"),
    writer="said_words",
    expiry=_("1 day, spread"),
    expendable=_("a cache: counted in SQL again"),
)
SEARCHERS = schema.key(
    "search:{words}:searchers:<week>",
    type="set",
    about=_("digests of a person and a text of the week, so that each person counts once; at most 100,000"),
    writer="words/lua/count_search",
    expiry=_("15 days after the last search"),
    expendable=_("statistics: some people count twice"),
    private=_("who searched"),
)
SEARCHED = schema.key(
    "search:{words}:searched:<week>",
    type="zset",
    about=_("texts that found something -> different people who searched for them; at most 10,000"),
    writer="words/lua/count_search",
    expiry=_("15 days after the last search"),
    expendable=_("statistics start over"),
)
SEARCHED_IN = schema.key(
    "search:{words}:searched:<week>:<city>",
    type="zset",
    about=_("the same of people who looked at a city; at most 10,000"),
    writer="words/lua/count_search",
    expiry=_("15 days after the last search"),
    expendable=_("statistics start over"),
)
MISSED = schema.key(
    "search:{words}:missed:<week>",
    type="zset",
    about=_("texts that found nothing -> different people who searched for them; at most 10,000"),
    writer="words/lua/count_search",
    expiry=_("15 days after the last search"),
    expendable=_("statistics start over"),
)
SLOW_WORST = schema.key(
    "search:{words}:slow:<week>",
    type="zset",
    about=_("what slow searches asked for, without their texts -> the most milliseconds"),
    writer="search_counts.count_slow",
    expiry=_("15 days after the last slow search"),
    expendable=_("statistics start over"),
)
SLOW_TIMES = schema.key(
    "search:{words}:slow-times:<week>",
    type="zset",
    about=_("what slow searches asked for -> how often"),
    writer="search_counts.count_slow",
    expiry=_("15 days after the last slow search"),
    expendable=_("statistics start over"),
)
RECENT_SEARCHES = schema.key(
    "search:recent:<who>",
    type="zset",
    about=_("the 10 newest searches of u<user id> or v<visitor> -> unix ms"),
    writer="recent_searches",
    expiry=_("60 days after the last search"),
    expendable=_("a convenience: the list starts over"),
    private=_("what a person searched for"),
)
SUGGEST_RECORDS = schema.key(
    "search:{suggest-<kind>}:records",
    type="hash",
    about=_(
        "suggestions of a kind: id -> reading number, band of popularity and spellings; reading; complete"
    ),
    writer="indexing.update, indexing.rebuild_kind",
    expiry=_("none"),
    rebuilt_from="apps.search.suggest.indexing:rebuild",
)
SUGGEST_NAMES = schema.key(
    "search:{suggest-<kind>}:names:<band>",
    type="zset",
    about=_("names and their parts, ended by NUL and the id, of one band of popularity; all scores are 0"),
    writer="indexing.update, indexing.rebuild_kind",
    expiry=_("none"),
    rebuilt_from="apps.search.suggest.indexing:rebuild",
)
SUGGEST_VOCABULARY = schema.key(
    "search:{suggest-<kind>}:vocabulary",
    type="zset",
    about=_("words of the names by their ends (s) and without each letter (d); all scores are 0"),
    writer="indexing.update, indexing.rebuild_kind",
    expiry=_("none"),
    rebuilt_from="apps.search.suggest.indexing:rebuild",
)
SUGGEST_NEXT_RECORDS = schema.key(
    "search:{suggest-<kind>}:next-records",
    type="hash",
    about=_("the records of the index of names that a rebuild fills; changes are written to it too"),
    writer="indexing.rebuild_kind",
    expiry=_("none: it takes the place of the live one, or the next rebuild drops it"),
    expendable=_("the rebuild that fills it starts over"),
)
SUGGEST_NEXT_NAMES = schema.key(
    "search:{suggest-<kind>}:next-names:<band>",
    type="zset",
    about=_("the bands of the index of names that a rebuild fills"),
    writer="indexing.rebuild_kind",
    expiry=_("none: it takes the place of the live one, or the next rebuild drops it"),
    expendable=_("the rebuild that fills it starts over"),
)
SUGGEST_NEXT_VOCABULARY = schema.key(
    "search:{suggest-<kind>}:next-vocabulary",
    type="zset",
    about=_("the words of the index of names that a rebuild fills"),
    writer="indexing.rebuild_kind",
    expiry=_("none: it takes the place of the live one, or the next rebuild drops it"),
    expendable=_("the rebuild that fills it starts over"),
)
SUGGEST_WORDS = schema.key(
    "search:{suggest}:words",
    type="zset",
    about=_("spelling NUL word NUL how often, scored by the first six bytes of the spelling"),
    writer="words.rebuild",
    expiry=_("2 days after the hourly rebuild"),
    rebuilt_from="apps.search.suggest.words:rebuild",
)

_REBUILT_FROM = "apps.search.index.rebuilding:rebuild"

LIVE = schema.key(
    "search:{<kind>}:live",
    type="string",
    about=_("the number of the generation that queries read"),
    writer="generations.switch",
    expiry=_("none"),
    rebuilt_from=_REBUILT_FROM,
)
BUILDING = schema.key(
    "search:{<kind>}:building",
    type="string",
    about=_("the number of the generation that a rebuild is filling; changes are written to it too"),
    writer="generations.begin",
    expiry=_("1 hour, if the rebuild dies"),
    expendable=_("the rebuild that made it starts over"),
)
POSTINGS = schema.key(
    "search:{<kind>}:<generation>:term:<term>",
    type="zset",
    about=_("documents with a term by the term's saturated weight (BM25 without idf), a whole number"),
    writer="lua/put_document",
    expiry=_("none; 10 minutes once its generation is old"),
    rebuilt_from=_REBUILT_FROM,
)
ORDER = schema.key(
    "search:{<kind>}:<generation>:order:<order>",
    type="zset",
    about=_("all documents by an order: newest, votes, rating, price, places by name; `all` has score 0"),
    writer="lua/put_document, writing.put_name_places",
    expiry=_("none; 10 minutes once its generation is old"),
    rebuilt_from=_REBUILT_FROM,
)
NAMES = schema.key(
    "search:{<kind>}:<generation>:names:<order>",
    type="zset",
    about=_("what documents are sorted by in an order of names, NUL, the document; all scores are 0"),
    writer="writing.put_name_places",
    expiry=_("none; 10 minutes once its generation is old"),
    rebuilt_from=_REBUILT_FROM,
)
NAME_RECORDS = schema.key(
    "search:{<kind>}:<generation>:name-records:<order>",
    type="hash",
    about=_('document -> "version|what it is sorted by", also of deleted ones; an older version is refused'),
    writer="writing.put_name_places",
    expiry=_("none; 10 minutes once its generation is old"),
    rebuilt_from=_REBUILT_FROM,
)
FACET = schema.key(
    "search:{<kind>}:<generation>:facet:<value>",
    type="set",
    about=_("documents with a facet's value, `facet=value`"),
    writer="lua/put_document",
    expiry=_("none; 10 minutes once its generation is old"),
    rebuilt_from=_REBUILT_FROM,
)
PLACES = schema.key(
    "search:{<kind>}:<generation>:places",
    type="zset",
    about=_("where the documents are (GEO)"),
    writer="lua/put_document",
    expiry=_("none; 10 minutes once its generation is old"),
    rebuilt_from=_REBUILT_FROM,
)
VERSIONS = schema.key(
    "search:{<kind>}:<generation>:versions",
    type="hash",
    about=_('document -> "version:write", also of deleted ones; an older version is refused'),
    writer="lua/put_document",
    expiry=_("none; 10 minutes once its generation is old"),
    rebuilt_from=_REBUILT_FROM,
)
RECORDS = schema.key(
    "search:{<kind>}:<generation>:records",
    type="hash",
    about=_("document -> its terms in order, other forms, orders, facets: to remove it and to read phrases"),
    writer="lua/put_document",
    expiry=_("none; 10 minutes once its generation is old"),
    rebuilt_from=_REBUILT_FROM,
)
STATS = schema.key(
    "search:{<kind>}:<generation>:stats",
    type="hash",
    about=_("documents, their terms, writes, and the average length that the weights were computed with"),
    writer="lua/put_document, generations.begin",
    expiry=_("none; 10 minutes once its generation is old"),
    rebuilt_from=_REBUILT_FROM,
)
VALUES = schema.key(
    "search:{<kind>}:<generation>:values",
    type="zset",
    about=_("`facet=value` by the number of its documents"),
    writer="lua/put_document",
    expiry=_("none; 10 minutes once its generation is old"),
    rebuilt_from=_REBUILT_FROM,
)
VOCABULARY = schema.key(
    "search:{<kind>}:<generation>:vocabulary",
    type="zset",
    about=_("every term, in the order of its bytes, for prefixes; one without documents may remain"),
    writer="vocabulary.add",
    expiry=_("none; 10 minutes once its generation is old"),
    rebuilt_from=_REBUILT_FROM,
)
SPELLINGS = schema.key(
    "search:{<kind>}:<generation>:spellings",
    type="zset",
    about=_("`shortened term`: each term without one of its letters, by which a typed word finds it"),
    writer="vocabulary.add",
    expiry=_("none; 10 minutes once its generation is old"),
    rebuilt_from=_REBUILT_FROM,
)
RESULT = schema.key(
    "search:{<kind>}:result:<digest>",
    type="zset",
    about=_("documents of a step of one search, which deletes it at its end"),
    writer="matching.match",
    expiry=_("1 minute, if the search dies"),
    expendable=_("a step of one search"),
)
OPEN = schema.key(
    "search:{<kind>}:open:<minute>",
    type="set",
    about=_("the shops that are open in a minute since 1970, for the filter Open now"),
    writer="filtering._store_open",
    expiry=_("3 minutes"),
    expendable=_("the next search reads them from SQL"),
)
OPEN_TO_BE = schema.key(
    "search:{<kind>}:open-to-be:<token>",
    type="set",
    about=_("the set of open shops while it is filled; then it takes the minute's name"),
    writer="filtering._store_open",
    expiry=_("2 minutes, if the process dies"),
    expendable=_("the next search reads them from SQL"),
)
PAGES = schema.key(
    "search:{<kind>}:pages:<digest>",
    type="string",
    about=_("the best documents of a search in its order, 8 bytes each, through which cursors page"),
    writer="ordering.keep",
    expiry=_("10 minutes after the last page"),
    expendable=_("the query computes it again"),
)
STEMS = schema.key(
    "search:{<kind>}:<generation>:stems",
    type="zset",
    about=_("`stem term`: each English term that is longer than its stem, by which its other forms find it"),
    writer="vocabulary.add",
    expiry=_("none; 10 minutes once its generation is old"),
    rebuilt_from=_REBUILT_FROM,
)
QUEUED = schema.key(
    "search:queued",
    type="string",
    about=_("a task that indexes changes is on its way: no second one is sent"),
    writer="changes.send_task",
    expiry=_("5 seconds"),
    expendable=_("a second task finds nothing to do"),
)


def generation_parts(kind: str, generation: int) -> dict[str, schema.Part]:
    """The parts that the keys of a generation have in common."""
    return {"kind": kind, "generation": generation}


#: Past it a search answers its first page alone, without a cursor.
SEARCHES_BUDGET = eviction.MemoryBudget(
    "searches", connection="default", keys=[PAGES, RECENT_SEARCHES, SEARCHERS], quota=0.1, share=0.7
)
#: On a server that is fuller no search begins: its steps would take what claims need.
STEPS_BUDGET = eviction.MemoryBudget(
    "steps of searches", connection="default", keys=[RESULT], quota=0.1, share=0.8
)
