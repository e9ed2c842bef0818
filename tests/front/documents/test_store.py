"""How long a document is served, who makes it anew, and how many are kept."""

import asyncio
import threading

from django.db import OperationalError

from apps.front.documents.route import DocumentRoute
from apps.front.documents.store import REFRESH_WAIT_SECONDS
from tests.front.documents.site import age, build, fetch, state


async def test_a_change_shows_after_a_second(documents: DocumentRoute) -> None:
    await fetch(documents)
    state.text = "second"
    age(documents, -100)
    assert (await fetch(documents)).body.startswith(b"first")
    age(documents, 101)
    responses = await asyncio.gather(*(fetch(documents) for _ in range(50)))
    assert {response.body.split()[0] for response in responses} == {b"second"}
    assert state.made == 2


async def test_the_next_document_is_made_before_anybody_has_to_wait(documents: DocumentRoute) -> None:
    await fetch(documents)
    state.text = "second"
    ((key, entry),) = documents.store._entries.items()
    for _ in range(3):
        assert documents.store.find_fresh(key, entry.made_at + 0.8) is entry.document
    await asyncio.gather(*documents.store._refreshes.values())
    assert state.made == 2
    assert (await fetch(documents)).body.startswith(b"second")


async def test_a_document_is_as_old_as_the_beginning_of_its_making(documents: DocumentRoute) -> None:
    began: list[float] = []
    state.meanwhile = lambda: began.append(asyncio.run(_now()))
    await fetch(documents)
    (entry,) = documents.store._entries.values()
    assert entry.made_at <= began[0]


async def _now() -> float:
    return asyncio.get_running_loop().time()


async def test_a_slow_page_is_waited_for_shortly(documents: DocumentRoute) -> None:
    documents = build(refresh_wait_seconds=REFRESH_WAIT_SECONDS)
    await fetch(documents)
    age(documents, 2)
    state.text, may_go_on = "second", threading.Event()
    state.meanwhile = may_go_on.wait
    responses = await asyncio.gather(*(fetch(documents) for _ in range(20)))
    assert {response.body.split()[0] for response in responses} == {b"first"}
    assert documents.store.outcomes["stale"] == 20
    may_go_on.set()
    await asyncio.gather(*documents.store._refreshes.values())
    age(documents, -100)
    assert (await fetch(documents)).body.startswith(b"second")
    assert state.made == 2


async def test_a_page_that_fails_is_replaced_by_the_last_for_a_minute(documents: DocumentRoute) -> None:
    await fetch(documents)
    state.error = OperationalError("SQL is away")
    age(documents, 50)
    assert (await fetch(documents)).body.startswith(b"first")
    age(documents, 20)
    assert (await fetch(documents)).status == 503
    state.error = None
    assert (await fetch(documents)).status == 200


async def test_a_page_that_is_gone_is_gone_at_once(documents: DocumentRoute) -> None:
    await fetch(documents)
    state.status = 410
    age(documents, 1)
    assert (await fetch(documents)).status == 410
    assert len(documents.store) == 0


async def test_an_unchanged_page_is_not_compressed_again(documents: DocumentRoute) -> None:
    await fetch(documents)
    (before,) = documents.store._entries.values()
    age(documents, 1)
    await fetch(documents)
    (after,) = documents.store._entries.values()
    assert after is not before
    assert after.document is before.document


async def test_the_least_recently_used_documents_leave(documents: DocumentRoute) -> None:
    documents.store._max_documents = 3
    for number in (1, 2, 3, 1, 4):
        await fetch(documents, f"/page/{number}/")
    assert [key.path for key in documents.store._entries] == ["/page/3/", "/page/1/", "/page/4/"]
    size = documents.store._bytes
    assert size == sum(entry.document.size for entry in documents.store._entries.values())
    documents.store._max_bytes = size
    await fetch(documents, "/page/5/")
    assert documents.store._bytes <= size


async def test_pages_that_were_read_once_leave_after_minutes(documents: DocumentRoute) -> None:
    for number in (1, 2):
        await fetch(documents, f"/page/{number}/")
    age(documents, 301)
    await fetch(documents, "/page/3/")
    assert [key.path for key in documents.store._entries] == ["/page/3/"]
    documents.store._max_bytes = 1
    await fetch(documents, "/page/4/")
    assert (len(documents.store), documents.store._bytes) == (0, 0)


async def test_strangers_paths_take_no_memory(documents: DocumentRoute) -> None:
    for number in range(20):
        await fetch(documents, f"/none/{number}/")
        await fetch(documents, "/page/404/", host=f"{number}.evil.example")
    assert (len(documents.store), documents.store._refreshes, documents.store._bytes) == (0, {}, 0)
