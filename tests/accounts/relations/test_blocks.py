import pytest

from apps.accounts.models import Block, User
from apps.accounts.relations import blocks
from apps.follows import graph
from apps.web.problems import Problem


def test_a_block_keeps_two_people_apart_in_both_directions(alice: User, bob: User, charlie: User) -> None:
    blocks.block(alice.pk, bob.pk)
    blocks.block(alice.pk, bob.pk)
    assert Block.objects.count() == 1
    assert blocks.apart_from(alice.pk) == {bob.pk}
    assert blocks.apart_from(bob.pk, [alice.pk, charlie.pk]) == {alice.pk}
    assert not blocks.are_apart(alice.pk, charlie.pk)
    assert (blocks.has_blocked(alice.pk, bob.pk), blocks.has_blocked(bob.pk, alice.pk)) == (True, False)


@pytest.mark.both_databases
def test_an_ended_block_leaves_nothing(alice: User, bob: User) -> None:
    blocks.block(alice.pk, bob.pk)
    blocks.unblock(alice.pk, bob.pk)
    blocks.unblock(alice.pk, bob.pk)
    assert not blocks.are_apart(alice.pk, bob.pk)


@pytest.mark.parametrize(("other", "code"), [("self", "own_account"), ("bob", "too_many_blocks")])
def test_refused_blocks_have_a_code(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch, other: str, code: str
) -> None:
    monkeypatch.setattr(blocks, "MAX_BLOCKS", 0)
    with pytest.raises(Problem) as refusal:
        blocks.block(alice.pk, alice.pk if other == "self" else bob.pk)
    assert refusal.value.code == code


@pytest.mark.django_db(transaction=True)
def test_a_block_ends_the_follows_between_both(alice: User, bob: User, charlie: User) -> None:
    graph.follow(alice.pk, bob.pk)
    graph.follow(bob.pk, alice.pk)
    graph.follow(charlie.pk, alice.pk)
    blocks.block(alice.pk, bob.pk)
    assert not graph.is_following(alice.pk, bob.pk)
    assert not graph.is_following(bob.pk, alice.pk)
    assert graph.is_following(charlie.pk, alice.pk)


def test_nobody_follows_across_a_block(alice: User, bob: User) -> None:
    blocks.block(alice.pk, bob.pk)
    for follower, followee in ((alice, bob), (bob, alice)):
        with pytest.raises(Problem) as refusal:
            graph.follow(follower.pk, followee.pk)
        assert (refusal.value.status, refusal.value.code) == (403, "blocked")
