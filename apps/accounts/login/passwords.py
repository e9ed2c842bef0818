"""How strong a manager's password must be: zxcvbn's estimate of the guesses that it takes.

Django imports this module with the first password that it checks: zxcvbn's words take 15 MB.
"""

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from zxcvbn import zxcvbn

#: Of 0 to 4: more than 10^8 guesses, out of reach of guessing by log-ins.
MIN_SCORE = 3
#: zxcvbn refuses longer texts, which take it seconds.
MAX_ESTIMATED_LENGTH = 72


class StrengthValidator:
    """Refuses passwords that are words, dates, rows of keys or the manager's own name or phone."""

    def validate(self, password: str, user: Any = None) -> None:
        """ValidationError for a weak password."""
        own = [str(getattr(user, name, "")) for name in ("phone", "nickname")] if user else []
        if zxcvbn(password[:MAX_ESTIMATED_LENGTH], user_inputs=["savor", *own])["score"] < MIN_SCORE:
            sentence = _("Easy to guess: take four or five words that do not belong together.")
            raise ValidationError(sentence, code="weak_password")

    def get_help_text(self) -> str:
        """What the page says beside the field."""
        return _("Take four or five words that do not belong together, or let a program choose.")
