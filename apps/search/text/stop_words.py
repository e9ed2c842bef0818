"""Words that say nothing: a query leaves the English ones out, and gives up the Chinese ones first."""

#: Left out while other words remain.
ENGLISH = frozenset(
    "a an and are as at be been but by did do does for from had has have he her his i if in into is it its "
    "me my no not of on or our she so some such that the their them then there these they this those to too "
    "up was we were what when where which who will with you your".split()
)
#: Characters that join words: a pair with one of them is dropped before any other word.
CHINESE = frozenset("的了和是在也都就与及或吗呢吧啊呀把被让给对而且但很还又个们着过地得这那有")
