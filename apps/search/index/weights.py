"""Weights of terms in documents: BM25 without idf, as whole numbers."""

#: BM25's saturation of repeated words, and how much long texts are held back (Robertson and Zaragoza, 2009).
K1, B = 1.2, 0.75
#: A weight of 1.0. The largest, K1 + 1, has 31 bits: Redis keeps it in 5 bytes of a short list and compares
#: it without parsing, where a fraction takes 18 bytes and is parsed each time. Scores differ by 1e-8.
WEIGHT_UNITS = 2**29


def compute(count: float, length: int, average: float) -> int:
    """The weight of a term that occurs so often in a document of that length, in WEIGHT_UNITS."""
    weight = count * (K1 + 1) / (count + K1 * (1 - B + B * length / average))
    return round(weight * WEIGHT_UNITS)
