"""reconcile_social compares all social data with SQL's rows."""

import json
from typing import Any

import pytest
import redis
from django.core.management import CommandError, call_command

from apps.accounts.models import User
from apps.backoffice import reconcile_all, tasks
from apps.blog import keys
from apps.blog.likes import likes
from apps.blog.models import Note
from apps.blog.writing import shop_scores
from apps.follows import graph
from apps.follows.models import Standing
from apps.shops.models import Shop
from apps.signins import check_ins
from apps.signins.models import Standing as SignInStanding
from tests.blog import feed_makers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def liked(alice: User, bob: User) -> Note:
    """Bob follows Alice, reads his feed, likes her note and has checked in."""
    graph.follow(bob.pk, alice.pk)
    feed_makers.read_all_pages(bob)
    note = feed_makers.publish(alice)
    list(shop_scores.drift(fix=True))
    likes.like(note.pk, bob.pk)
    likes.for_note_page(Note.objects.get(pk=note.pk), bob.pk)
    graph.followed_ids(bob.pk)
    check_ins.check_in_today(bob.pk)
    return note


def corrupt_every_subject(note: Note, reader: User, connected: redis.Redis) -> None:
    """Every subject says something wrong."""
    Note.objects.filter(pk=note.pk).update(comments=4)
    connected.zrem(keys.LIKES(note=note.pk), reader.pk)
    Shop.objects.filter(pk=note.shop_id).update(reviews=1)
    Standing.objects.filter(pk=reader.pk).update(following=7)
    connected.zrem(keys.FEED_INBOX(shard=reader.pk % 16, reader=reader.pk), f"{note.pk:019d}")
    SignInStanding.objects.filter(pk=reader.pk).update(total=9)


def run_command(capsys: Any, *options: str) -> dict[str, Any]:
    try:
        call_command("reconcile_social", "--json", *options)
        clean = True
    except SystemExit as ended:
        clean = ended.code == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert report["clean"] is clean
    return report


def test_where_all_agrees_nothing_is_told(liked: Note, capsys: Any) -> None:
    assert run_command(capsys) == {"clean": True, "fixed": [], "left": []}


def test_every_difference_is_told_and_then_mended(
    liked: Note, bob: User, guarded_redis: redis.Redis, capsys: Any
) -> None:
    corrupt_every_subject(liked, bob, guarded_redis)
    found = run_command(capsys)["left"]
    assert {(one["subject"], one["aspect"]) for one in found} == {
        ("notes", "comments"),
        ("notes", "copy"),
        ("scores", "rating / reviews"),
        ("follows", "counts"),
        ("feeds", "inbox"),
        ("check-ins", "totals"),
    }
    assert run_command(capsys, "--fix") == {"clean": True, "fixed": found, "left": []}
    assert list(reconcile_all.drift()) == []


def test_the_table_says_what_is_wrong(liked: Note, capsys: Any) -> None:
    Note.objects.filter(pk=liked.pk).update(comments=4)
    with pytest.raises(SystemExit) as ended:
        call_command("reconcile_social")
    assert ended.value.code == 1
    assert "comments" in capsys.readouterr().out


def test_the_hourly_task_mends_and_counts(liked: Note, bob: User, guarded_redis: redis.Redis) -> None:
    corrupt_every_subject(liked, bob, guarded_redis)
    assert tasks.reconcile_social() == 6
    assert tasks.reconcile_social() == 0


@pytest.mark.usefixtures("redis_away")
def test_without_redis_nothing_is_said_to_be_right() -> None:
    with pytest.raises(CommandError, match="Redis does not answer"):
        call_command("reconcile_social")
