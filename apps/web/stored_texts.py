"""Sentences that a process without a reader stores or sends in English, read in the reader's language.

    WRONG_VERSION = Template(gettext_noop("version %(found)s is not %(expected)s"))
    WRONG_VERSION.fill(found=2, expected=1)        "version 2 is not 1", as rows, logs and the API have it
    translate("version 2 is not 1")                the same sentence in the reader's language

A row stays readable whatever language its readers have, and rows of earlier releases are translated, too.
"""

import re

from django.utils.translation import gettext

#: An error's name before its sentence, which stays as it is: "MalformedEntry: version 2 is not 1".
ERROR_NAME = re.compile(r"([A-Za-z]\w*: )(.+)", re.DOTALL)
_FIGURE = re.compile(r"%\((\w+)\)s")
_templates: dict[str, re.Pattern[str]] = {}


class Template:
    """An English sentence with %(name)s for its figures, known to `translate` from now on."""

    def __init__(self, text: str) -> None:
        self.text = text
        literals_and_names = _FIGURE.split(text)
        parts = [
            f"(?P<{part}>.*)" if index % 2 else re.escape(part)
            for index, part in enumerate(literals_and_names)
        ]
        _templates[text] = re.compile("".join(parts), re.DOTALL)

    def fill(self, **figures: object) -> str:
        """The English sentence with its figures."""
        return self.text % figures


def translate(text: str) -> str:
    """The sentence of a Template in the reader's language, with its figures; any other text as it is.

    A figure may be such a sentence, too: what a gateway's error was.
    """
    matches = ((template, pattern.fullmatch(text)) for template, pattern in _templates.items())
    # The longest says most: one may be the beginning of another.
    template, match = max(
        ((template, match) for template, match in matches if match),
        key=lambda found: len(found[0]),
        default=("", None),
    )
    if match:
        return gettext(template) % {name: translate(figure) for name, figure in match.groupdict().items()}
    named = ERROR_NAME.fullmatch(text)
    return named[1] + translate(named[2]) if named else text
