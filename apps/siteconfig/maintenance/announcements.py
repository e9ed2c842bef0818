"""The answers to visitors while the site is closed for maintenance."""

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import AwareDatetime, BaseModel, ConfigDict

from apps.web import in_language
from apps.web.problems import Problem

#: Seconds after which a client asks again when no end is known, or when the end has passed.
DEFAULT_RETRY_SECONDS = 30
#: The longest that a client is told to wait: maintenance may end early.
MAX_RETRY_SECONDS = 600


class MaintenanceProblem(Problem):
    """503: the site is closed; `until` is when it should be open again, or None."""

    def __init__(self, detail: str, *, retry_after: float, until: datetime | None) -> None:
        until_text = until.isoformat() if until else None
        super().__init__(503, "maintenance", detail, retry_after=retry_after, until=until_text)
        self.until = until


class Announcement(BaseModel):
    """One maintenance: since when, expected until when, the operator's own words, and who began it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    since: AwareDatetime
    until: AwareDatetime | None = None
    text_en: str = ""
    text_zh: str = ""
    changed_by: str = ""

    @property
    def text(self) -> str:
        """The operator's words in the active language, or else the site's own."""
        given = in_language.choose(self.text_en, self.text_zh)
        return given or _("We are working on the site. Orders and payments are safe.")

    def as_problem(self) -> MaintenanceProblem:
        """The refusal of a request, in the active language."""
        now = timezone.now()
        left = self.until - now if self.until and self.until > now else timedelta(0)
        wait = min(left.total_seconds(), MAX_RETRY_SECONDS) or DEFAULT_RETRY_SECONDS
        return MaintenanceProblem(self.text, retry_after=wait, until=self.until if left else None)
