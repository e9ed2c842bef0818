import random
from itertools import permutations

import pytest
from django.db.models import OuterRef

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


@pytest.mark.parametrize("seed", range(6))
def test_apart_are_those_with_a_block_between_them_and_never_oneself(
    alice: User, bob: User, charlie: User, manager: User, seed: int
) -> None:
    """Every form of the rule says the same, whoever is asked about, oneself among them."""
    chance, ids = random.Random(seed), [alice.pk, bob.pk, charlie.pk, manager.pk]
    pairs = set(chance.sample([*permutations(ids, 2)], chance.randint(1, 8)))
    Block.objects.bulk_create(Block(blocker_id=one, blocked_id=other) for one, other in sorted(pairs))
    for me in ids:
        apart = {one for one in ids if {(me, one), (one, me)} & pairs}
        asked = {me, *chance.sample(ids, 2)}
        assert [{*blocks.apart_from(me)}, {*blocks.apart_from(me, asked)}] == [apart, apart & asked]
        assert {one for one in ids if blocks.are_apart(me, one)} == apart
        assert {
            *User.objects.filter(blocks.is_apart(me, OuterRef("pk"))).values_list("pk", flat=True)
        } == apart
        assert blocks.apart_among(me, asked) == apart & asked


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
