"""One registry class: order, keys that replace, and entries that fail alone."""

import logging
from collections.abc import Callable

import pytest

from apps.web.registry import Registry


def first() -> str:
    return "first"


def second() -> str:
    return "second"


def broken() -> str:
    raise ValueError("a fault of another app")


def test_entries_come_by_order_and_then_by_key() -> None:
    registry: Registry[str] = Registry("letters")
    registry.register("c", key="last", order=60)
    registry.register("b", key="two")
    registry.register("a", key="one")
    assert registry.entries() == ["a", "b", "c"]
    assert registry.items() == [("one", "a"), ("two", "b"), ("last", "c")]
    assert (len(registry), "two" in registry, registry.get("two"), registry.get("nine")) == (
        3,
        True,
        "b",
        None,
    )


def test_a_function_that_registers_twice_is_there_once() -> None:
    registry: Registry[Callable[[], object]] = Registry("functions")
    registry.register(first)
    registry.register(second, order=10)
    registry.register(first, order=5)
    assert registry.entries() == [first, second]
    registry.unregister(first)
    registry.unregister(first)
    assert registry.entries() == [second]


def test_what_is_no_function_needs_a_key() -> None:
    registry: Registry[str] = Registry("letters")
    with pytest.raises(ValueError, match="register it with a key"):
        registry.register("a")
    registry.register("a", key="one")
    registry.unregister("one")
    assert not registry.entries()


def test_a_failing_function_is_logged_and_the_others_are_called(caplog: pytest.LogCaptureFixture) -> None:
    registry: Registry[Callable[[], object]] = Registry("functions")
    for order, function in enumerate((broken, first, second)):
        registry.register(function, order=order)
    with caplog.at_level(logging.ERROR):
        assert list(registry.call_each()) == ["first", "second"]
    assert "functions: tests.web.test_registry.broken failed" in caplog.text
    assert "a fault of another app" in caplog.text


def test_a_registration_for_a_block_brings_back_what_it_replaced() -> None:
    registry: Registry[str] = Registry("letters")
    registry.register("a", key="one")
    with registry.registered("b", key="one"):
        assert registry.entries() == ["b"]
    assert registry.entries() == ["a"]


def test_an_entry_may_register_another_while_all_are_called() -> None:
    registry: Registry[Callable[[], object]] = Registry("functions")
    called: list[str] = []

    def adds() -> None:
        called.append("adds")
        registry.register(lambda: called.append("late"))

    registry.register(adds)
    registry.notify()
    assert called == ["adds"]
