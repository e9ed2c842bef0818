"""Members of the index's sorted sets: ids as texts whose order is that of the numbers."""

#: A letter for the number of digits: "a9" comes before "b10".
_LENGTHS = "?abcdefghijklmnopqrstuvwxyz"


def encode(number: int) -> str:
    """9 -> "a9", 10 -> "b10"."""
    digits = str(number)
    return _LENGTHS[len(digits)] + digits


def decode(member: str) -> int:
    return int(member[1:])
