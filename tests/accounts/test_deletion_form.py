"""The last step of a deletion."""

from apps.accounts.deletion.forms import DeletionCodeForm
from apps.accounts.forms import CodeForm


def test_six_digits_log_in_and_delete_nothing() -> None:
    """forms.js sends a form of six digits by itself where the field says so."""
    assert "data-submit" in str(CodeForm()["code"])
    assert "data-submit" not in str(DeletionCodeForm()["code"])
