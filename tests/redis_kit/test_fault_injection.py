"""A process kills itself at a named place only where the settings allow it."""

import runpy

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django.fixtures import Settings

from apps.redis_kit import fault_injection


@pytest.mark.parametrize("allowed", [True, False])
def test_the_environment_arms_a_place_only_where_the_settings_allow_it(
    allowed: bool, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.FAULT_INJECTION = allowed
    monkeypatch.setenv("CRASH_AT", "settled:3")
    # As in a process that starts, beside the module that the other tests share.
    assert runpy.run_path(fault_injection.__file__)["is_armed"] is allowed


def test_production_arms_no_place(settings: Settings) -> None:
    settings.FAULT_INJECTION = False
    with pytest.raises(ImproperlyConfigured, match="FAULT_INJECTION"):
        fault_injection.arm("settled:3")
    assert not fault_injection.is_armed
    fault_injection.arm("")
