"""The word lists of search."""

from apps.search.models import BlockedWord, StopWord, SynonymGroup
from tests.factories.rows import RowFactory


class SynonymGroupFactory(RowFactory[SynonymGroup]):
    """Words that mean the same."""

    class Meta:
        model = SynonymGroup

    words = "hotpot, hot pot"


class StopWordFactory(RowFactory[StopWord]):
    """A word that no search asks for."""

    class Meta:
        model = StopWord

    word = "shop"


class BlockedWordFactory(RowFactory[BlockedWord]):
    """A word that is proposed to nobody."""

    class Meta:
        model = BlockedWord

    word = "scam"
