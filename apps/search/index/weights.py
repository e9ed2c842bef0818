"""Weights of terms in documents: BM25 without idf, and a bonus in names, as whole numbers."""

#: BM25's saturation of repeated words, and how much long texts are held back (Robertson and Zaragoza, 2009).
K1, B = 1.2, 0.75
#: What a word of a name or a type has more than one of a description: so much that also a longer word of a
#: name that begins so (matching.PREFIX_FACTOR) comes before that.
NAME_BONUS = 5_000
#: A weight of 1.0. The largest without a bonus, K1 + 1, has 31 bits: Redis keeps it in 5 bytes of a short
#: list (one with a bonus in 9) and compares it without parsing, where a fraction takes 18 bytes and is parsed
#: each time. Scores differ by 1e-8.
WEIGHT_UNITS = 2**29


def compute(count: float, length: int, average: float, name_share: float = 0.0) -> int:
    """The weight of a term that occurs so often in a document of that length, in WEIGHT_UNITS.

    `name_share`: how much of the bonus it has, 1 where it stands in a name.
    """
    weight = count * (K1 + 1) / (count + K1 * (1 - B + B * length / average))
    return round((weight + NAME_BONUS * name_share) * WEIGHT_UNITS)
