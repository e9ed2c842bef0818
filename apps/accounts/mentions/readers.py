"""Who may read a text that is not for everybody: the app that has such texts registers it."""

from collections.abc import Callable

from apps.web.registry import Registry

#: By the kind of place, such as "chat"; called with (person's id, place's id): the ids of those who read what
#: is written there, the person's own among them; none for somebody who is not there.
READERS: Registry[Callable[[int, int], list[int]]] = Registry("readers of a place")


def list_readers(kind: str, place_id: int, *, user_id: int) -> list[int]:
    """The ids of those who read what a person writes in a place; none without such a place."""
    load = READERS.get(kind)
    return load(user_id, place_id) if load and place_id else []
