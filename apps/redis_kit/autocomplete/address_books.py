"""Address books: the names of a group's members in one sorted set of equal scores, found as one types.

    join(book, 7, "Jenny"); find(book, "je") -> [7]; leave(book, 7, "Jenny")

`book` is a declared key of type zset. Look-ups write nothing: the server compares bytes, so the names between
a prefix and the same with a byte after it that no UTF-8 has are those that begin so, in any script.
Source: Redis in Action, section 6.1.2, which adds two marks to the set and takes them away again, and so
loses names with braces and needs a transaction to look something up.
"""

from apps.redis_kit import client, transport
from apps.redis_kit.autocomplete.spelling import NAME_END, escape, fold

#: Members of a book that a search for a middle part reads.
MAX_READ = 1_000
_PAST_ALL = b"\xff"


def join(book: str, member_id: int, name: str) -> None:
    """Put a member into a book; again is fine. One command."""
    transport.execute(client.get(), ("ZADD", book, 0, _member(member_id, name)))


def leave(book: str, member_id: int, name: str) -> None:
    """Take a member out, by the name with which they joined; again is fine. One command."""
    transport.execute(client.get(), ("ZREM", book, _member(member_id, name)))


def find(book: str, typed: str, limit: int = 10) -> list[int]:
    """The ids of members whose name is, begins with, or else contains what was typed, in this order."""
    wanted = escape(fold(typed))
    low, high = b"[" + wanted.encode(), b"(" + wanted.encode() + _PAST_ALL
    beginning = _look_up(book, (low, high), limit)
    if len(beginning) >= limit or not wanted:
        return beginning
    everybody: list[str] = transport.execute(client.get(), ("ZRANGE", book, 0, MAX_READ - 1))
    containing = [_member_id(member) for member in everybody if wanted in member.rpartition(NAME_END)[0]]
    return list(dict.fromkeys([*beginning, *containing]))[:limit]


def _look_up(book: str, span: tuple[bytes, bytes], limit: int) -> list[int]:
    low, high = span if len(span[0]) > 1 else (b"-", b"+")
    command = ("ZRANGE", book, low, high, "BYLEX", "LIMIT", 0, limit)
    return [_member_id(member) for member in transport.execute(client.get(), command)]


def _member(member_id: int, name: str) -> str:
    return f"{escape(fold(name))}{NAME_END}{member_id}"


def _member_id(member: str) -> int:
    return int(member.rpartition(NAME_END)[2])
