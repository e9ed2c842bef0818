"""Measures a message to a million people: `python -m lab.bench.chats.broadcasts`; FAST=1 is smaller.

What it writes, and when the last of a thousand people of any age reads it; beside it a row for each person,
written as the site writes those of a list.
"""

import os
import random
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.conf import settings  # noqa: E402 - after the settings, as everything below
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from apps.accounts.models import User  # noqa: E402
from apps.demo import embedded_redis  # noqa: E402
from apps.mailbox import broadcasts, listing  # noqa: E402
from apps.mailbox.models import Audience, Broadcast, Notification  # noqa: E402
from apps.redis_kit import client  # noqa: E402
from lab.bench import reports  # noqa: E402

FAST = bool(os.environ.get("FAST"))
PEOPLE, READERS, BATCH = (20_000, 100, 10_000) if FAST else (1_000_000, 1_000, 10_000)
#: People who are written a row each, for comparison.
LISTED = 2_000 if FAST else 10_000


def main() -> None:
    server = embedded_redis.start(settings.REDIS_DIR)
    try:
        call_command("migrate", verbosity=0, interactive=False)
        report = _measure()
    finally:
        client.close_all()
        server.stop()
    print(report)
    if not FAST:
        reports.save_report("chats.broadcasts", report)


def _measure() -> str:
    for first in range(0, PEOPLE, BATCH):
        User.objects.bulk_create(
            User(phone=f"+861{number:010}", nickname=f"D {number}") for number in range(first, first + BATCH)
        )
    ids = list(User.objects.values_list("pk", flat=True))
    readers = random.Random(3).sample(ids, READERS)
    # Their copies are in Redis, as those of people who look at the site are.
    for reader in readers:
        listing.fetch_page(reader)
    found = Broadcast.objects.create(title_en="To everybody", text_en="Hello", audience=Audience.EVERYBODY)
    rows = [_row_to_everybody(found, readers), _row_of_a_list(ids)]
    head = [
        "a message to",
        "statements that write",
        "rows",
        "sent in",
        "the last of the readers has it after",
    ]
    return "\n\n".join(
        (
            "## Messages to everybody",
            f"{reports.describe_machine('Django', 'redis')}, SQLite. {READERS:,} of the people, "
            "drawn by chance, read their notifications one after the other in one process.",
            reports.markdown_table(head, rows),
        )
    )


def _row_to_everybody(found: Broadcast, readers: list[int]) -> list[str]:
    before = Notification.objects.count()
    began = time.perf_counter()
    with CaptureQueriesContext(connection) as captured:
        broadcasts.send(found.pk)
    sent = time.perf_counter() - began
    for reader in readers:
        page = listing.fetch_page(reader)
        assert page.entries[0].target_id == found.pk, "it is not there"
        assert page.unread == 1
    seen = time.perf_counter() - began
    writes = sum(each["sql"].startswith(("INSERT", "UPDATE")) for each in captured)
    new_rows = Notification.objects.count() - before
    name = f"{PEOPLE:,} people, merged at read"
    return [name, str(writes), f"{new_rows} and its own", f"{sent * 1e3:.1f} ms", f"{seen:.2f} s"]


def _row_of_a_list(ids: list[int]) -> list[str]:
    listed = Broadcast.objects.create(
        title_en="To a list", audience=Audience.LIST, people=ids[:LISTED], people_count=LISTED
    )
    began = time.perf_counter()
    with CaptureQueriesContext(connection) as captured:
        broadcasts.send(listed.pk)
        while broadcasts.work_on(listed.pk):
            pass
    spent = time.perf_counter() - began
    writes = sum(each["sql"].startswith(("INSERT", "UPDATE")) for each in captured)
    each = f"{spent:.1f} s, {spent / LISTED * PEOPLE:,.0f} s for {PEOPLE:,}"
    return [f"{LISTED:,} people of a list, a row each", f"{writes:,}", f"{LISTED:,}", each, ""]


if __name__ == "__main__":
    main()
