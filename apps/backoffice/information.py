"""The pages about the site itself, the same for everybody.

What the site stores of people, and for how long, is taken from the constants that the code itself obeys.
"""

from datetime import timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from apps.accounts import codes
from apps.accounts import retention as accounts
from apps.accounts.deletion import deletions, rules
from apps.accounts.deletion.deletions import GRACE
from apps.accounts.login import passkeys
from apps.accounts.relations import contacts
from apps.accounts.sessions.cookies import TOKEN_COOKIE
from apps.backoffice.lens import access as lens
from apps.blog.writing import photos
from apps.front.documents.pages import shared_page
from apps.front.lens import LENS_COOKIE
from apps.logship import segments
from apps.mailbox import copies as mailbox
from apps.moderation.models import Reason
from apps.outbox import sending as outbox
from apps.search import keys as search
from apps.shops.geo import location
from apps.siteconfig.maintenance import passes
from apps.uv import keys as uv
from apps.uv import visitors

DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


@require_safe
@shared_page
def help_page(request: HttpRequest) -> HttpResponse:
    """Short answers to what people ask."""
    about = {
        "pay_minutes": int(settings.PAY_WITHIN.total_seconds() // 60),
        "code_minutes": int(settings.LOGIN_CODE_TTL.total_seconds() // 60),
        "code_checks": codes.MAX_CHECKS_PER_CODE,
        "grace_days": deletions.GRACE.days,
        "log_in_email": settings.LOGIN_EMAIL,
        "passkeys": settings.LOGIN_PASSKEYS,
        "operator": _operator(),
    }
    return render(request, "information/help.html", about)


@require_safe
@shared_page
def privacy(request: HttpRequest) -> HttpResponse:
    """What is stored of people, why, and for how long."""
    about = {
        "facts": list_facts(),
        "cookies": list_cookies(),
        "goes": rules.list_goes(),
        "kept": rules.list_kept(),
        "grace_days": deletions.GRACE.days,
        "operator": _operator(),
    }
    return render(request, "information/privacy.html", about)


@require_safe
@shared_page
def terms(request: HttpRequest) -> HttpResponse:
    """The rules between people and the operator."""
    about = {
        "pay_minutes": int(settings.PAY_WITHIN.total_seconds() // 60),
        "reasons": [reason.label for reason in Reason if reason != Reason.OTHER],
        "operator": _operator(),
    }
    return render(request, "information/terms.html", about)


@require_safe
@shared_page
def imprint(request: HttpRequest) -> HttpResponse:
    """Who runs the site, and how to reach them."""
    return render(request, "information/imprint.html", {"operator": _operator()})


def _operator() -> dict[str, object]:
    return {
        "name": settings.OPERATOR_NAME,
        "address": [line.strip() for line in settings.OPERATOR_ADDRESS if line.strip()],
        "email": settings.OPERATOR_EMAIL,
        "phone": settings.OPERATOR_PHONE,
        "registration": settings.OPERATOR_REGISTRATION,
    }


class Fact(NamedTuple):
    """Something that is stored, and the longest time for it; None while the account is there."""

    what: Any
    kept: timedelta | None

    @property
    def how_long(self) -> str:
        """The time in words, in the reader's language."""
        if self.kept is None:
            return str(_("until you delete it, or your account"))
        if HOUR <= self.kept < DAY:
            return ngettext("%d hour", "%d hours", self.kept // HOUR) % (self.kept // HOUR)
        if self.kept < HOUR:
            minutes = self.kept // MINUTE
            return ngettext("%d minute", "%d minutes", minutes) % minutes
        return ngettext("%d day", "%d days", self.kept.days) % self.kept.days


class Cookie(NamedTuple):
    """A cookie by its name, what it is for, and how long a browser keeps it; None until it is closed."""

    name: str
    purpose: Any
    kept: timedelta | None

    @property
    def how_long(self) -> str:
        """The time in words, in the reader's language."""
        return str(_("until the browser is closed")) if self.kept is None else Fact("", self.kept).how_long


def list_facts() -> list[Fact]:
    """What is stored of a person, the longest kept first."""
    ended = settings.TOKEN_TTL + accounts.RETENTION
    searched = timedelta(seconds=search.RECENT_TTL_SECONDS)
    return [
        Fact(_("Phone number, e-mail address, name, picture, city and what you say about yourself"), None),
        Fact(_("Notes, photos, comments, likes, follows, check-ins, messages"), None),
        Fact(_("Notifications, from the last time that something happened to them"), mailbox.RETENTION),
        Fact(_("Text messages and e-mails that we sent you"), outbox.SENT_RETENTION),
        Fact(_("Whom you wrote to last, to suggest names"), contacts.TTL),
        Fact(_("What you looked at last"), uv.RECENT_KEPT),
        Fact(_("What you searched for last"), searched),
        Fact(_("Devices you logged in with: browser, city and times, from the last use"), ended),
        Fact(_("Photos of a note that you deleted"), photos.DELETED_RETENTION),
        Fact(_("A deleted account, which a log-in still takes back"), GRACE),
        Fact(_("Lines about requests, without anything that tells who sent them"), segments.RETENTION),
        Fact(_("Photos that you uploaded and never used"), photos.UNUSED_RETENTION),
        Fact(_("Log-in codes, as a hash that nobody can read"), settings.LOGIN_CODE_TTL),
    ]


def list_cookies() -> list[Cookie]:
    """Every cookie that the site sets."""
    language = timedelta(seconds=settings.LANGUAGE_COOKIE_AGE or 0) or None
    staff, closed = timedelta(seconds=settings.SESSION_COOKIE_AGE), timedelta(seconds=passes.PASS_SECONDS)
    lens_age = timedelta(seconds=lens.MAX_AGE_SECONDS)
    return [
        Cookie(TOKEN_COOKIE, _("keeps you logged in"), settings.TOKEN_TTL),
        Cookie(codes.REQUEST_COOKIE, _("for the log-in code that you asked for"), settings.LOGIN_CODE_TTL),
        Cookie(passkeys.HOLDER_COOKIE, _("for the passkey that you log in with"), passkeys.CHALLENGE_TTL),
        Cookie(visitors.COOKIE_NAME, _("a random number, to count visitors"), visitors.COOKIE_MAX_AGE),
        Cookie(location.COOKIE_NAME, _("where you looked for shops last"), location.COOKIE_MAX_AGE),
        Cookie(settings.LANGUAGE_COOKIE_NAME, _("the language that you chose"), language),
        Cookie(CookieStorage.cookie_name, _("a sentence for the next page, such as “Saved.”"), None),
        Cookie(settings.SESSION_COOKIE_NAME, _("for staff alone: the administration's log-in"), staff),
        Cookie(settings.CSRF_COOKIE_NAME, _("for staff alone: protects the administration's forms"), None),
        Cookie(passes.PASS_COOKIE, _("for staff alone: lets them in while the site is closed"), closed),
        Cookie(LENS_COOKIE, _("for staff alone: shows what a request did"), lens_age),
    ]
